"""Which of a few systems is better, on which queries, and what it would take to be sure."""
