"""Names of PyTorch, JAX and NumPy: none is a name of `tf`, and what the hints speak of is there."""

import re

import pytest

import tapeflow as tf
from tapeflow.names.attributes import FOR_MODULES, FOR_TENSORS, FOR_VARIABLES
from tapeflow.names.elsewhere import ELSEWHERE


def found(name):
    value = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("name", [n for n in ELSEWHERE if not n.startswith("tf.keras.")])
def test_it_is_not_there(name):
    with pytest.raises(AttributeError, match="tapeflow has no"):
        found(name)


@pytest.mark.parametrize("table", [ELSEWHERE, FOR_TENSORS, FOR_VARIABLES, FOR_MODULES])
def test_what_the_hints_speak_of_is_there(table):
    for sentence in table.values():
        for name in re.findall(r"\btf(?:\.\w+)+", sentence):
            if not name.startswith("tf.keras."):
                found(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tf.cat", "tapeflow has no tf.cat. It is PyTorch's name: use tf.concat(tensors, axis)."),
        ("tf.math.sum", "tapeflow has no tf.math.sum. Use tf.reduce_sum(x, axis)."),
        ("tf.nn.functional", "tapeflow has no tf.nn.functional. It is PyTorch's name: use tf.nn."),
        ("tf.jit", "tapeflow has no tf.jit. It is JAX's name: use tf.function(f), with jit_compile=True for XLA."),
    ],
)
def test_words(name, words):
    with pytest.raises(AttributeError) as caught:
        found(name)
    assert str(caught.value) == words
