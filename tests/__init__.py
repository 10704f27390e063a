"""The tests: folders mirror src; laws go over the catalogues, reference holds numbers with their provenance."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The project."""
