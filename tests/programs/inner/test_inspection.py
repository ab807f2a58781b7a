"""`tensorflow.python.util.tf_inspect`."""

import inspect

import tapeflow as tf
from tapeflow.programs.inner import inspection


def test_our_functions_without_annotations():
    """What libraries compare their own functions with; the rest is as TensorFlow's."""
    found = inspection.getfullargspec(tf.rank)
    assert (found.args, found.defaults, found.annotations) == (["input", "name"], (None,), {})
    assert inspection.getfullargspec(tf.function(lambda x, y=1: x)).args == ["x", "y"]


def test_other_functions_as_they_are():
    def f(x: int = 2) -> None: ...

    assert inspection.getfullargspec(f) == inspect.getfullargspec(f)
    assert inspection.signature is inspect.signature and inspection.isclass(int)
