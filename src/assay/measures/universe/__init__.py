"""Finite sets of rankings, and how measures order them: every ranking once, or the lists of jones2015."""
