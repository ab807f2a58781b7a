"""`tf.quantization`: fake quantisation."""
