"""What operations on strings need besides Python's own functions."""
