"""Tracing: from a Python function and the signature of its arguments to a graph."""
