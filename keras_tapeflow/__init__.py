"""tapeflow as a backend of Keras 3: laid out as Keras' coming plug-in backends are. Used by `KERAS_BACKEND=tapeflow`, or by `tf.keras`."""
