"""One result, every medium."""
