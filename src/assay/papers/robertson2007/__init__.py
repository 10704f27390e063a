"""Robertson. On document populations and measures of IR effectiveness. ICTIR 2007."""
