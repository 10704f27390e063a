"""Agreement on systems: how alike judges rank the runs, and what they conclude of every pair."""
