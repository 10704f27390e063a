"""Bias: whether a judge favours some runs, what carries the disagreement, and what the choice of judge adds."""
