"""How often intervals hold the truth and sentences are false: drawn from populations whose truth is known."""
