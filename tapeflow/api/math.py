"""`tf.math`: element by element, reductions, scans, segments."""
