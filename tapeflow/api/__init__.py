"""TensorFlow's names over the primitives: argument handling and docstrings, no mathematics of its own."""
