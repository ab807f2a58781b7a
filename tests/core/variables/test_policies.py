"""The numbers are TensorFlow's: saved configurations have them."""

import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (tf.VariableSynchronization, ["AUTO", "NONE", "ON_WRITE", "ON_READ"]),
        (tf.VariableAggregation, ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"]),
    ],
)
def test_numbers(kind, names):
    assert [kind(k).name for k in range(4)] == names


def test_a_variable_keeps_its_choice():
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN, synchronization=tf.VariableSynchronization.ON_READ)
    assert v.aggregation is tf.VariableAggregation.MEAN and v.synchronization is tf.VariableSynchronization.ON_READ
