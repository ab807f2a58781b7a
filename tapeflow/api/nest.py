"""`tf.nest`: nested structures."""
