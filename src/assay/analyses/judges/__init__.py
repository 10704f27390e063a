"""Judges: whether conclusions survive another set of judgments."""
