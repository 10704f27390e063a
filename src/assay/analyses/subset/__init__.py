"""Subsets of topics: whether they rank the runs as all topics do."""
