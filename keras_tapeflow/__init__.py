"""tapeflow as a backend of Keras 3: laid out as Keras' coming plug-in backends are. Used by `KERAS_BACKEND=tapeflow`,
or by `tf.keras`.

`import tapeflow` and the start of a program import this much of it, which is little: neither Keras nor NumPy.
"""

from . import hook

hook.choose()  # how Keras finds us
