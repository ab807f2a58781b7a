"""`tf.bitwise`."""
