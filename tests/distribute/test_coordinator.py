"""There are no parameter servers, and nobody finds that out later than at once."""

import pytest

import tapeflow as tf


def test_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="no parameter servers"):
        tf.distribute.coordinator.ClusterCoordinator(tf.distribute.get_strategy())
