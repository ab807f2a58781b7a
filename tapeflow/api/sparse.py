"""`tf.sparse` and SparseTensor."""
