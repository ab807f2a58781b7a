"""Rounding to few levels."""
