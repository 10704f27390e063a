"""What figures that somebody else published could have shown, from the figures alone."""
