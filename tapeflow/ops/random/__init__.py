"""Primitives that draw random numbers."""
