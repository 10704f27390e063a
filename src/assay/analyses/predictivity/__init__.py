"""Predictive power: how well the ranking of runs by one measure predicts that by another on new topics."""
