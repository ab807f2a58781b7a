"""`tf.image`: resampling, colour, flips."""
