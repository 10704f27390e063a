"""Discriminative power: which measures separate the runs."""
