"""Transformations: forward mode, derivatives of functions, custom gradients, recomputation."""
