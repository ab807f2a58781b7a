"""A session keeps settings and gives values that are there; it computes nothing."""

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1


def test_values_of_structures():
    with v1.Session(config="c") as session:
        found = session.run({"a": tf.constant([1.0, 2.0]), "b": [tf.Variable(3), None]})
    assert session.config == "c"
    assert type(found["a"]) is np.ndarray and found["a"].tolist() == [1.0, 2.0] and found["b"] == [3, None]
    with pytest.raises(RuntimeError, match="no graph to feed"):
        v1.InteractiveSession().run(tf.constant(1), feed_dict={"x": 1})


def test_settings_can_be_set_and_compared():
    config = v1.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    config.graph_options.optimizer_options.global_jit_level = 2
    assert config.gpu_options == v1.GPUOptions(allow_growth=True) != v1.GPUOptions()
    assert "allow_soft_placement: True\n" in repr(config)
    assert v1.ConfigProto().gpu_options == v1.GPUOptions(), "settings of one session are in another"
