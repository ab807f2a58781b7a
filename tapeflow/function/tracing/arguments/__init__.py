"""The arguments of a `tf.function`: binding them, input signatures, errors."""
