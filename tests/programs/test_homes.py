"""Under the stand-in, classes say TensorFlow's modules as their own, and are found there."""

import importlib
import pickle

import pytest

import tapeflow
from tapeflow.names.public import value_of
from tapeflow.programs import homes, stand_in


def values():
    return [
        tapeflow.constant([1.0, 2.0]),
        tapeflow.TensorShape([1, None]),
        tapeflow.float32,
        tapeflow.TensorSpec([1]),
        tapeflow.Variable(2.0),
        tapeflow.errors.NotFoundError(None, None, "nothing there"),
    ]


@pytest.mark.parametrize(
    ("value", "module", "name"),  # TensorFlow's own answers
    [
        (lambda: tapeflow.constant(1.0), "tensorflow.python.framework.ops", "EagerTensor"),
        (lambda: tapeflow.Variable(1.0), "tensorflow.python.ops.resource_variable_ops", "ResourceVariable"),
        (lambda: tapeflow.float32, "tensorflow.python.framework.dtypes", "DType"),
        (lambda: tapeflow.TensorShape([]), "tensorflow.python.framework.tensor_shape", "TensorShape"),
        (lambda: tapeflow.TensorSpec([]), "tensorflow.python.framework.tensor", "TensorSpec"),
        (lambda: tapeflow.GradientTape(), "tensorflow.python.eager.backprop", "GradientTape"),
        (lambda: tapeflow.ragged.constant([[1]]), "tensorflow.python.ops.ragged.ragged_tensor", "RaggedTensor"),
        (lambda: tapeflow.errors.InvalidArgumentError(None, None, ""), "tensorflow.python.framework.errors_impl",
         "InvalidArgumentError"),
    ],
)  # fmt: skip
def test_types_say_where_tensorflow_has_them(installed, value, module, name):
    kind = type(value())
    assert (kind.__module__, kind.__name__) == (module, name)
    assert getattr(importlib.import_module(module), name) is kind


def test_tensors_in_a_trace(installed):
    seen = []
    tapeflow.function(lambda x: seen.append(type(x)))(tapeflow.constant(1.0))
    assert [(kind.__module__, kind.__name__) for kind in seen] == [
        ("tensorflow.python.framework.ops", "SymbolicTensor")
    ]


def test_every_class_is_found_where_it_says_it_is(installed):
    """Also by the names that TensorFlow has for it there; so `pickle` finds it, which goes by module and name."""
    import tensorflow as tf

    for inside in homes.HOMES:
        for public in homes.listed(inside).values():
            kind = value_of(public)
            homes.move_in()  # what was loaded on the way
            assert kind.__module__.startswith("tensorflow.python."), public
            assert pickle.loads(pickle.dumps(kind)) is kind, public
        for name, public in homes.listed(inside).items():
            assert getattr(importlib.import_module(f"tensorflow.python.{inside}"), name) is value_of(public), name
    assert tf.data.Dataset.__module__ == "tensorflow.python.data.ops.dataset_ops"


def test_pickles_of_before_and_of_under_the_stand_in(interpreter):
    before = pickle.dumps(values())
    stand_in.install()
    under = pickle.dumps(values())
    for text in (before, under):
        assert repr(pickle.loads(text)[:4]) == repr(values()[:4])


def test_types_are_ours_again_without_it(interpreter):
    stand_in.install()
    stand_in.uninstall()
    assert type(tapeflow.constant(1.0)).__module__ == "tapeflow.core.tensor"
    assert not any(kind.__module__.startswith("tensorflow") for kind in map(type, values()))


def test_tracebacks_name_the_error_as_tensorflow_does(installed):
    import traceback

    with pytest.raises(tapeflow.errors.InvalidArgumentError) as caught:
        tapeflow.constant([1.0, 2.0]) + tapeflow.constant([1.0, 2.0, 3.0])
    last = traceback.format_exception_only(caught.value)[-1] + "".join(traceback.format_exception_only(caught.value))
    assert "tensorflow.python.framework.errors_impl.InvalidArgumentError: Incompatible shapes" in last
