"""Strategies of several replicas, for tests: on CPUs that programs can name and XLA does not know, so that replicas
take turns, in graphs, too. (`test_at_once.py` has those that XLA knows, in a process of its own.)"""

import pytest

import tapeflow as tf
from tapeflow.api.config import devices
from tapeflow.core.devices import Processors
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.distribute import at_once


@pytest.fixture(autouse=True)
def four_cpus(monkeypatch):
    loaded("tapeflow.engines.xla.devices").physical()  # with the CPUs that there are
    monkeypatch.setattr(Processors, "count", 4)
    monkeypatch.setitem(devices._state, "logical", {})  # programs say again how many CPUs they want
    monkeypatch.setattr(at_once, "mesh_of", lambda places: None)


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
