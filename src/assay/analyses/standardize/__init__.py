"""Standardisation: scores relative to reference runs, topic by topic."""
