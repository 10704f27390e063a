"""Properties: the numeric properties of measures, and whether sharing them makes measures agree."""
