"""NumPy kernels for random numbers."""
