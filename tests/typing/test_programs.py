"""The programs that type checkers see also run: what their annotations promise is what they get."""

import inspect
import runpy
import sys

import pytest

import tapeflow as tf

from .programs import tapes


@pytest.mark.parametrize("name", ["data", "functions", "models", "namespaces", "tapes"])
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
    names = {line.split("def ")[1].split("(")[0] for line in source.splitlines() if line.strip().startswith("def ")}
    missing = [n for n in names for x in (tf.constant([1.0]), tf.Variable([1.0])) if not hasattr(x, n)]
    assert not missing
