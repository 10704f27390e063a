"""Kanoulas, Aslam. Empirical justification of the gain and discount function for nDCG. CIKM 2009."""
