"""Tests of the study of error rates: its truths are what they say, and it counts what it should."""
