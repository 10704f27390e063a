"""Judgments: grades and their scale, sources and how they are merged, and what becomes of contradictions."""
