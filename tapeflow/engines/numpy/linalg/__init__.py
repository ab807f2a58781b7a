"""NumPy kernels for linear algebra."""
