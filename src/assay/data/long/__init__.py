"""Long tables: their columns, gone through some rows at a time, and the rankings that stand in them."""
