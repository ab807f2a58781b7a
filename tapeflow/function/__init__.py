"""`tf.function`: a Python function becomes a graph of primitives, which is cleaned, and run without Python's
overhead."""
