"""Assertions of `tf.debugging`: about shapes, and about values and types."""
