"""Statistics of arrays without labels, each used by two analyses or more."""
