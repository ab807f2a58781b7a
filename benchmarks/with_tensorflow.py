"""TensorFlow, eager and as a tf.function: the program is `with_tapeflow.py`, word for word, with one import
changed."""

from pathlib import Path

_program = Path(__file__).with_name("with_tapeflow.py").read_text(encoding="utf-8")
exec(compile(_program.replace("import tapeflow as tf", "import tensorflow as tf"), "with_tensorflow.py", "exec"))

VARIANTS = {"eager": lambda f: f, "function": lambda f: tf.function(f)}  # noqa: F821  tf comes with the program
