"""How alike two rankings of the same items are: rank correlation coefficients, and two fast ways to Kendall's tau."""
