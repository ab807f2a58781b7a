"""`tf.raw_ops`: the few raw operations that programs call."""
