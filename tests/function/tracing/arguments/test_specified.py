"""Input signatures are checked where they are given, and arguments against them."""

import re

import numpy as np
import pytest

import tapeflow as tf

from .refusals import SCALAR, c, refusal


@pytest.mark.parametrize(
    "signature, reason",
    [
        ([1.0], "got invalid args [1.0] with types [<class 'float'>]"),
        ([{"a": "x"}], "got invalid args ['x'] with types [<class 'str'>]"),
        ([None], "must be a possibly nested sequence of TensorSpec objects"),
        ([c(1.0)], "must be a possibly nested sequence of TensorSpec objects"),
        ([tf.float32], "must be a possibly nested sequence of TensorSpec objects"),
        ([np.ones(2)], "must be a possibly nested sequence of TensorSpec objects"),
        ("abc", "input_signature must be either a tuple or a list, got <class 'str'>."),
        (SCALAR, "input_signature must be either a tuple or a list"),
        ({"x": SCALAR}, "input_signature must be either a tuple or a list"),
        ([], "input_signature missing type constraint for x"),
        ([SCALAR, SCALAR], "input_signature contains 1 extra type constraints."),
    ],
    ids=str,
)
def test_a_wrong_signature_is_refused_at_decoration(signature, reason):
    with pytest.raises(TypeError, match=re.escape(reason)):
        tf.function(lambda x: x, input_signature=signature)


def test_parameters_without_a_specification():
    with pytest.raises(TypeError, match="keyword-only parameter `b` must have a default value"):
        tf.function(lambda a, *, b: a, input_signature=[SCALAR])
    with pytest.raises(TypeError, match="input_signature missing type constraint for b"):

        class Method:
            @tf.function(input_signature=[SCALAR])
            def f(self, a, b):
                return a

    for f in [lambda a, b=2.0: a * b, lambda a, *, b=2.0: a * b]:
        f = tf.function(f, input_signature=[SCALAR])
        assert f(1.0).numpy() == f(1.0, b=2.0).numpy() == 2.0
        assert refusal(lambda: f(1.0, b=3.0)) == "Can not cast 3.0 to Literal[2.0]"  # noqa: B023
    f = tf.function(lambda a, **k: a, input_signature=[SCALAR])
    assert refusal(lambda: f(1.0, z=2.0)) == "got an unexpected keyword argument 'z'"
    f = tf.function(lambda *a: a[0] - a[1], input_signature=[SCALAR, SCALAR])
    assert f(3.0, 1.0).numpy() == 2.0
    assert refusal(lambda: f(3.0)) == "missing a required argument: 'a_1'"
    assert refusal(lambda: f(3.0, 1.0, 1.0)) == "too many positional arguments"


def test_values_for_a_signature():
    f = tf.function(lambda x: x, input_signature=[SCALAR])
    for value in [c(1), [1.0], None, "a", np.ones(2), tf.TensorSpec([2])]:
        assert refusal(lambda: f(value))  # noqa: B023
    assert refusal(lambda: f.get_concrete_function(tf.TensorSpec([2], tf.float32)))
    f = tf.function(lambda d: d["a"], input_signature=[{"a": SCALAR, "b": SCALAR}])
    assert f({"a": 1.0, "b": 2.0}).numpy() == 1.0
    for value in [{"a": 1.0}, {"a": 1.0, "b": 2.0, "z": 1.0}, (1.0, 2.0), c(1.0)]:
        assert refusal(lambda: f(value))  # noqa: B023
