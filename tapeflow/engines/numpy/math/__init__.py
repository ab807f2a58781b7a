"""NumPy kernels for functions of numbers."""
