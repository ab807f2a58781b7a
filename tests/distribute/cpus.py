"""Strategies of several replicas, for tests: on CPUs that programs can name, which need no device of their own as long
as nothing is compiled."""

import pytest

import tapeflow as tf
from tapeflow.core.devices import Processors


@pytest.fixture(autouse=True)
def four_cpus(monkeypatch):
    monkeypatch.setattr(Processors, "count", 4)


def mirrored(count=2):
    return tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(count)])


def each(strategy, *values):
    """A value for each replica."""
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(values[context.replica_id_in_sync_group])
    )


def numbers(value):
    """What each replica has, in plain numbers."""
    return [v.numpy().tolist() for v in value.values]


def context():
    return tf.distribute.get_replica_context()
