"""Every analysis that applies, on one page, with what they say together."""
