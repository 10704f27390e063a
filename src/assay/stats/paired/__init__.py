"""Pairs of systems over topics: proportions, clusters, how many topics it takes, intervals that may be watched."""
