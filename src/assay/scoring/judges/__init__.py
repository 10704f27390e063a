"""Judges: the same runs scored under several sets of judgments, and a judge beside the reference."""
