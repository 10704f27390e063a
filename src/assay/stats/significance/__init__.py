"""Significance tests of the differences between runs, each declared where it is written, and their corrections."""
