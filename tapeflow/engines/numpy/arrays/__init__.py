"""NumPy kernels that move, pick and group elements."""
