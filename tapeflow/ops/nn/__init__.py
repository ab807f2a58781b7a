"""Primitives of neural networks: activations, attention, convolution, pooling, losses."""
