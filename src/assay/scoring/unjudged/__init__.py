"""What unjudged documents could do to scores, and to the order of runs."""
