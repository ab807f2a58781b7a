"""The program that the type checker sees also runs: what its annotations promise is what it gets."""

import inspect

import tapeflow as tf

from . import program


def test_program_runs():
    losses = program.train(3)
    assert losses == sorted(losses, reverse=True)
    assert program.inspect(tf.constant([1, 2]), tf.Variable(1.0)) == (3, "int32", (2,))


def test_declared_operators_exist():
    """Every operator that type checkers are told of is there when the program runs."""
    source = inspect.getsource(tf.core.typed)
    names = {line.split("def ")[1].split("(")[0] for line in source.splitlines() if line.strip().startswith("def ")}
    missing = [n for n in names for x in (tf.constant([1.0]), tf.Variable([1.0])) if not hasattr(x, n)]
    assert not missing
