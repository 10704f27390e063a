"""What files and objects look like: text, JSON, Parquet and Python objects as columns, whatever they hold."""
