"""Vectorisation: one run of a function for all rows of a batch at once."""
