"""`tf.clip_by_*` and norms of gradients."""
