"""Examples just inside and just outside every threshold, one module per analysis."""
