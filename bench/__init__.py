"""What Assay costs, beside its peers: `python -m bench` (or `make bench`), and `--quick` to see that it works."""
