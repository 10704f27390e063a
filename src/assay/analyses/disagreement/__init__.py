"""Disagreement: on which rankings measures prefer different ones, of all rankings and of those that runs produce."""
