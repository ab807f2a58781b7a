"""`tf.strings` basics."""
