"""tapeflow as a backend of Keras 3: laid out as Keras' coming plug-in backends are. Used by `KERAS_BACKEND=tapeflow`,
or by `tf.keras`."""

import tapeflow_keras_hook

tapeflow_keras_hook.choose()  # first: it is how Keras finds us

import keras  # noqa: E402, F401  # before our modules, which are made of its
