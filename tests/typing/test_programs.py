"""The programs that type checkers see also run: what their annotations promise is what they get."""

import inspect
import re
import runpy
import sys
from pathlib import Path

import pytest

import tapeflow as tf

from .programs import tapes


@pytest.mark.parametrize("name", sorted(f.stem for f in Path(tapes.__file__).parent.glob("[a-z]*.py")))
def test_programs_run(name, capsys):
    sys.modules.pop(f"tests.typing.programs.{name}", None)
    runpy.run_module(f"tests.typing.programs.{name}", run_name="__main__")
    assert capsys.readouterr().out


def test_training_goes_down():
    losses = tapes.train(3)
    assert losses == sorted(losses, reverse=True)
    assert tapes.inspect(tf.constant([1, 2]), tf.Variable(1.0)) == (3, "int32", (2,))


def test_declared_operators_exist():
    """Every operator that type checkers are told of is there when the program runs."""
    source = inspect.getsource(tf.core.typed)
    shared, _, own = source.partition("class Value")
    of_all, of_tensors = (set(re.findall(r"def (\w+)\(", part)) for part in (shared, own))
    there = {type(x): x for x in (tf.constant([1.0]), tf.Variable([1.0]), tf.ragged.constant([[1.0]]))}
    for cls, x in there.items():
        names = of_all if cls is tf.RaggedTensor else of_all | of_tensors
        assert not [n for n in names if not hasattr(x, n) or getattr(cls, n, None) is getattr(object, n, 0)]
