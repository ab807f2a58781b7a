"""NumPy kernels for neural networks: convolution and pooling."""
