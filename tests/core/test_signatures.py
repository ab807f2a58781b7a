"""Signatures that are TensorFlow's at run time, with types for those who read the source."""

import inspect
import pickle

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


@pytest.mark.parametrize("kind", [tf.GradientTape, tf.data.Dataset, tf.RaggedTensor, tf.test.TestCase])
def test_methods_are_called_those_of_the_class_that_people_know(kind):
    """What Python says of wrong arguments names the class."""
    names = [name for name in dir(kind) if not name.startswith("_")]
    functions = [getattr(inspect.getattr_static(kind, name), "__func__", getattr(kind, name)) for name in names]
    ours = [f for f in functions if inspect.isfunction(f) and f.__module__.startswith("tapeflow")]
    assert len(ours) > 5
    assert {f.__qualname__.rpartition(".")[0] for f in ours} <= {kind.__name__, "CompositeTensor", ""}
    with pytest.raises(TypeError, match=r"^(GradientTape\.__init__|Dataset\.shuffle)\(\) "):
        tf.GradientTape(persistant=True)
    with pytest.raises(TypeError, match=r"^Dataset\.shuffle\(\) "):
        tf.data.Dataset.range(2).shuffle()
    assert pickle.loads(pickle.dumps(kind.__init__)) is kind.__init__
