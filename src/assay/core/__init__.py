"""What every package may use; nothing here knows of retrieval."""
