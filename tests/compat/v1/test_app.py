"""A program of absl's: flags are read, `main` gets the rest, and the program ends with what it returns."""

import subprocess
import sys

import pytest

import tapeflow as tf

PROGRAM = """
import tapeflow as tf
app = tf.compat.v1.app
app.flags.DEFINE_integer("steps", 1, "how many")
def main(argv):
    print(app.flags.FLAGS.steps, argv[1:])
    return 3
app.run()
"""


def test_a_program_with_flags():
    pytest.importorskip("absl")
    done = subprocess.run([sys.executable, "-c", PROGRAM, "--steps=7", "rest"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "7 ['rest']\n"), done.stderr


def test_there_is_nothing_else():
    with pytest.raises(AttributeError, match=r"no tf.compat.v1.app.start"):
        tf.compat.v1.app.start()
