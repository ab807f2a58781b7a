"""Settings of the whole process, written by the layers above: `settings.tensor_float_32 = False`.

They are not of a thread, as listeners are (`tapeflow/core/listeners.py`), since TensorFlow's are not: what one thread
sets there, all others see at once.
"""

functions_run_eagerly = False
"""`tf.config.run_functions_eagerly`: `tf.function` calls the Python function."""

tensor_float_32 = True
"""`tf.config.experimental.enable_tensor_float_32_execution`: accelerators may round the factors of float32 products to
10 bits (TensorFloat-32)."""

numpy_promotion: bool | str = False
"""`tf.experimental.numpy.experimental_enable_numpy_behavior`: operators promote dtypes as NumPy does, and tensors have
NumPy's methods. Where it is "safe" or "all", they promote by the rules of that mode."""

arrays_may_change = False
"""Under the stand-in: a NumPy array that a dtype is asked of becomes it as in TensorFlow, even if values change by
that; it is a warning in the log. Otherwise it is an error."""

autograph_verbosity = 0
"""`tf.autograph.set_verbosity`: from 1 on, it is a warning that a function is not converted."""

traceback_filtering = True
"""`tf.debugging.disable_traceback_filtering`: errors are shown with our frames and NumPy's errors, or without."""
