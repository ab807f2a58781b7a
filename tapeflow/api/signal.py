"""`tf.signal`: Fourier transforms and frames."""
