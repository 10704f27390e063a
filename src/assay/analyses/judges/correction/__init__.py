"""Correction: scores of a model put right by human labels, and how many of these are still needed."""
