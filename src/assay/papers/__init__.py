"""Published numbers and claims, one folder per paper: `paper.py` declares it for `assay reproduce`."""
