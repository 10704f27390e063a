"""Reusability of the judgments: runs scored without what only they contributed to the pool."""
