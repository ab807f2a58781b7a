"""The functions that apply primitives: their signatures, and both of their ways."""

import inspect

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core import entry
from tapeflow.core.primitive import REGISTRY


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_signature_is_the_declared_one(name):
    prim = REGISTRY[name]
    parameters = inspect.signature(prim.entry).parameters.values()
    static = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert tuple(static) == prim.params and prim.entry.__name__ == name and prim.entry.primitive is prim
    tensors = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    assert (
        len(tensors) == 1 and tensors[0].kind is tensors[0].VAR_POSITIONAL
        if prim.variadic
        else len(tensors) == len(prim.inputs)
    )


def test_a_public_name_for_a_primitive():
    made = entry.write(REGISTRY["pow"], name="power", inputs=("base", "exponent"), extra=", name=None", doc="Powers.")
    assert made(base=tf.constant(2.0), exponent=3.0, name="n").numpy() == 8
    assert (made.__name__, made.__doc__) == ("power", "Powers.")
    with pytest.raises(TypeError, match=r"power\(\)"):
        made(tf.constant(2.0))


@pytest.mark.parametrize("convert", [tf.constant, np.float32, float, tf.Variable])
def test_the_fast_way_and_the_general_one_agree(convert):
    """Two eager tensors go the fast way; everything else is converted first."""
    fast = REGISTRY["atan2"].entry(tf.constant(0.5), tf.constant(2.0))
    other = REGISTRY["atan2"].entry(tf.constant(0.5), convert(2.0))
    assert fast.numpy() == other.numpy() and fast.dtype is other.dtype


def test_a_tape_is_told_by_both_ways():
    for other in (tf.constant(3.0), 3.0):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * other
        assert float(tape.gradient(y, x)) == 3
