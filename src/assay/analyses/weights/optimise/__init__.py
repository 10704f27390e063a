"""Gains and discounts fitted for the stability of nDCG: objective, constraints, search, cross-validation."""
