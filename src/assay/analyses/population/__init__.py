"""Population: what measures estimate where the documents of a collection are a sample."""
