"""Kernels for strings: hashes, regular expressions, Unicode."""
