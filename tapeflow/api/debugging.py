"""`tf.debugging`: assertions and number checks."""
