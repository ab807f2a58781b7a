"""What TensorFlow has only in its private modules, and libraries use: thin functions over our own."""
