"""NumPy kernels for images."""
