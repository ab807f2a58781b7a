"""Primitives on numbers: elementwise functions, reductions, scans, Fourier transforms."""
