"""NumPy kernels for neural networks: attention, convolution and pooling."""
