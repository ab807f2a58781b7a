"""Signatures that are TensorFlow's at run time, with types for those who read the source."""

import inspect

import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    "function",
    [
        tf.GradientTape,
        tf.GradientTape.gradient,
        tf.GradientTape.jacobian,
        tf.GradientTape.batch_jacobian,
        tf.autodiff.ForwardAccumulator,
        tf.autodiff.ForwardAccumulator.jvp,
    ],
    ids=lambda f: f.__qualname__,
)
def test_annotations_are_there_but_not_shown(function):
    shown = inspect.signature(function)
    assert all(p.annotation is p.empty for p in shown.parameters.values()) and "->" not in str(shown)
    written = getattr(function, "__init__", function) if isinstance(function, type) else function
    assert set(shown.parameters) - {"self"} <= set(written.__annotations__)
