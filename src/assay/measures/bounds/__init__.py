"""How far unjudged documents could move a score: the least and the most it could be."""
