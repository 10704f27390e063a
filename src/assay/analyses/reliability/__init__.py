"""`assay reliability`: how stable scores and rankings of runs are, and how many topics they need."""
