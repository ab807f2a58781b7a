"""`tf.keras` is Keras on tapeflow or an error that says why not; each in a process of its own."""

import os
import subprocess
import sys


def told(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout + done.stderr


def test_another_backend_is_an_error():
    program = "import tapeflow as tf\ntry: tf.keras.layers\nexcept ImportError as error: print(error)"
    code, said = told(program, KERAS_BACKEND="numpy")
    assert code == 0 and "but Keras runs on 'numpy': the environment says KERAS_BACKEND" in said, said


def test_no_keras_at_all():
    program = """
import sys
class Absent:
    def find_spec(self, name, *_):
        if name.split(".")[0] == "keras":
            raise ModuleNotFoundError(f"No module named {name!r}", name="keras")
sys.meta_path.insert(0, Absent())
import tapeflow as tf
try: tf.keras.layers
except ModuleNotFoundError as error: print(error)
"""
    code, said = told(program)
    assert code == 0 and "tf.keras needs Keras, which is not installed: pip install" in said, said
