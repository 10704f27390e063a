"""`assay weights`: the gain and discount with which nDCG is most reliable."""
