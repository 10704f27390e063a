"""Informativeness: how much of the whole ranking can be inferred from the score of a measure."""
