"""Around variables: `tf.Module`, initializers, moving averages, creators."""
