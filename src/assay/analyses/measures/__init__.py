"""Measures: the catalogue, the card of each measure, and the weights that measures give to ranks."""
