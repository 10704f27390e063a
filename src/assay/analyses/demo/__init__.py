"""The whole pipeline on a synthetic collection, for a first look."""
