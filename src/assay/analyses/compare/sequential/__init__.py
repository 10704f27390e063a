"""Comparisons that are watched as queries come in: in random order, by intervals that hold at all times."""
