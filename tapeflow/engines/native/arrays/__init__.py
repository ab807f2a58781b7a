"""Kernels of arrays and of parts of them."""
