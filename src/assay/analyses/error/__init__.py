"""`assay error`: how far scores could be off because the documents are a sample, too."""
