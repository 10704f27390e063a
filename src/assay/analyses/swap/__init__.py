"""Swap rates: which differences between runs are reversed on new topics."""
