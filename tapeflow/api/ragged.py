"""`tf.ragged` and RaggedTensor."""
