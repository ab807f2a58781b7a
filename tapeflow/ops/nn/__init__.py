"""Primitives of neural networks: activations, convolution, pooling, losses."""
