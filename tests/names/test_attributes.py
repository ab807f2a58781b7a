"""Attributes that are not there: they say what to use, `hasattr` says no, and whoever has one keeps it."""

import pytest

import tapeflow as tf
from tapeflow.names import attributes


@pytest.mark.parametrize(
    ("kind", "table"), [(tf.Tensor, attributes.FOR_TENSORS), (tf.Variable, attributes.FOR_VARIABLES)]
)
def test_each_is_absent(kind, table):
    value = tf.constant([1.0, 2.0]) if kind is tf.Tensor else tf.Variable([1.0, 2.0])
    missing = [name for name in table if isinstance(vars(kind).get(name), attributes.Absent)]
    assert len(missing) > 80
    for name in missing:
        assert not hasattr(value, name) and name not in dir(value)
        with pytest.raises(AttributeError) as caught:
            getattr(value, name)
        assert str(caught.value) == f"{type(value).__name__!r} object has no attribute {name!r}.{table[name]}"
        assert caught.value.name == name


def test_what_is_there_stays():
    class Mine(tf.Module):
        def __init__(self):
            super().__init__()
            self.parameters = [1]

        def to(self):
            return "there"

    mine = Mine()
    assert mine.parameters == [1] and mine.to() == "there" and "to" in dir(mine) and "parameters" in dir(mine)
    assert "state_dict" not in dir(mine)
    with pytest.raises(AttributeError, match=r"^'Mine' object has no attribute 'zero_grad'\. Use tape\.gradient"):
        mine.zero_grad()


def test_a_getattr_of_a_subclass_is_asked():
    class Mine(tf.Module):
        def __getattr__(self, name):
            return name.upper()

    assert Mine(name="mine").eval == "EVAL"
