"""Webber, Moffat, Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010."""
