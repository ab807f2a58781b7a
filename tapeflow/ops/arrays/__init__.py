"""Primitives that move, pick, join, sort and cast elements."""
