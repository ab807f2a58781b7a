"""`tf.random`: random tensors, from explicit seeds or the global one."""
