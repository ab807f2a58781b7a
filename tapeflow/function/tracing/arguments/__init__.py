"""The arguments of a tf.function: what they are bound to, what they are to be, what becomes of them."""
