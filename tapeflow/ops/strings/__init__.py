"""Primitives on strings."""
