"""Label-free arithmetic on arrays: nothing here knows what a run or a topic is."""
