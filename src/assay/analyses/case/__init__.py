"""Case: which of two given rankings each measure prefers."""
