"""What newcomers from PyTorch, JAX, NumPy and TensorFlow 1 write, and what they must read (`mistakes.md`): the type of
the error, and words that say what to do."""

import re
from pathlib import Path

import numpy as np  # noqa: F401 - for programs of the table
import pytest

import tapeflow as tf

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
V = tf.Variable([1.0, 2.0], name="w")
IMAGES, KERNEL = tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 4])
pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))
InvalidArgumentError = tf.errors.InvalidArgumentError


def gradient_of(compute, sources=V):
    with tf.GradientTape() as tape:
        target = compute()
    return tape.gradient(target, sources)


_ROW = re.compile(r"\| (`+) ?(.*?) ?\1 \| (\w+) \| (`+) ?(.*?) ?\4 \|$", re.MULTILINE)
ROWS = [
    (program, kind, words)
    for _, program, kind, _, words in _ROW.findall(Path(__file__).with_name("mistakes.md").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("program", "kind", "words"), ROWS, ids=[row[0] for row in ROWS])
def test_what_is_read(program, kind, words):
    with pytest.raises(eval(kind)) as caught:
        eval(program)
    assert words in str(caught.value)
    assert "group" not in str(caught.value)


def test_there_are_many():
    assert len(ROWS) > 80
