"""Resampling and colour."""
