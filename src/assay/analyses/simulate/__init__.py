"""Simulate: synthetic test collections whose truth is known, as TREC files."""
