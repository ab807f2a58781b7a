"""Building and shaping tensors: the top-level `tf.*` functions that compute nothing."""
