"""Agreement: how alike measures rank the runs."""
