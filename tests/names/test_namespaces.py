import pickle
import subprocess
import sys

import pytest

import tapeflow as tf


def test_imports_by_public_names():
    """Python looked for folders of these names: `No module named 'tapeflow.math'`."""
    from tapeflow.bitwise import invert
    from tapeflow.math import sin
    from tapeflow.math.special import dawsn
    from tapeflow.random.experimental import stateless_split

    assert sin is tf.math.sin and dawsn is tf.math.special.dawsn and invert is tf.bitwise.invert
    assert stateless_split is tf.random.experimental.stateless_split
    assert sys.modules["tapeflow.math"] is tf.math and tf.math.__spec__.name == "tapeflow.api.math"
    assert pickle.loads(pickle.dumps(tf.math.sin)) is tf.math.sin


@pytest.mark.long
def test_every_namespace():
    """In a program that has imported nothing yet."""
    program = """
import importlib, types, tapeflow
for name in sorted({*tapeflow.__all__} - {"keras", "losses", "metrics", "optimizers", "initializers"}):
    value = getattr(tapeflow, name)
    if isinstance(value, types.ModuleType):
        found = importlib.import_module(f"tapeflow.{name}")
        assert found is value, name
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", ["tapeflow.math.nothing", "tapeflow.bitwise.nothing", "tapeflow.nothing"])
def test_what_is_not_there(name):
    with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
        __import__(name)


def test_nothing_runs_twice():
    """The folder of a namespace is not searched by its public name: its files would run once more."""
    import tapeflow.math.reductions as found

    import tapeflow.api.math.reductions as own

    assert found is own
