"""Scores that other tools computed: the shapes in which they come, laid out as cells and merged."""
