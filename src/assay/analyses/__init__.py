"""One folder per command: its question, mathematics, tables, charts and sentences."""
