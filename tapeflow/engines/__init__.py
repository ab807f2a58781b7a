"""Engines: kernels for NumPy (the short ones stand in the declarations of the primitives) and for XLA."""
