"""Vectorisation (`tf.vmap`, `tf.vectorized_map`): one run of a function for all rows of a batch at once."""
