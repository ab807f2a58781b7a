"""Names for annotations are classes that `isinstance` and checkers take."""

import pytest

import tapeflow as tf

types = tf.types.experimental


def test_functions_are_what_they_are_called():
    function = tf.function(lambda x: x)
    assert isinstance(function, types.GenericFunction)
    assert types.Callable is types.PolymorphicFunction is types.GenericFunction
    assert isinstance(function.get_concrete_function(1.0), types.ConcreteFunction)


@pytest.mark.parametrize("value", [1, 2.0, [1], (1,), "a", tf.constant(1), tf.Variable(1)])
def test_what_becomes_a_tensor(value):
    assert isinstance(value, types.TensorLike)
    assert not isinstance(object(), types.TensorLike)


def test_values_of_replicas():
    from tapeflow.distribute import values

    assert types.distributed.PerReplica is values.PerReplica
    assert types.distributed.Mirrored is values.DistributedValues
    with pytest.raises(AttributeError, match="Mirrord"):
        _ = types.distributed.Mirrord
