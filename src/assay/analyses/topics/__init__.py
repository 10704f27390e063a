"""How many topics a comparison needs, and how small a difference a number of topics can show."""
