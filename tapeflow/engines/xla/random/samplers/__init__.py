"""XLA kernels of the samplers in `engines/numpy/random/samplers`: the same words, the same numbers (floats to
rounding)."""
