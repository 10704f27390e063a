"""Scores of runs, with intervals over topics."""
