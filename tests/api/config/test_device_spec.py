"""`tf.DeviceSpec`."""

import pytest

import tapeflow as tf


def test_device_specs():
    spec = tf.DeviceSpec.from_string
    for given, name in [
        ("/job:w/replica:0/task:1/device:GPU:2", "/job:w/replica:0/task:1/device:GPU:2"),
        ("/gpu:2", "/device:GPU:2"),
        ("/cpu:*", "/device:CPU:*"),
    ]:
        assert spec(given).to_string() == name
    assert spec("/job:a").make_merged_spec(spec("/job:b/gpu:1")).to_string() == "/job:b/device:GPU:1"
    assert tf.DeviceSpec(job="a").replace(task=3).to_string() == "/job:a/task:3"
    assert tf.DeviceSpec(job="a") == tf.DeviceSpec(job="a") != tf.DeviceSpec(job="b")
    assert (
        repr(tf.DeviceSpec()) == "<DeviceSpec(job=None, replica=None, task=None, device_type=None, device_index=None)>"
    )
    with pytest.raises(ValueError, match="Unknown attribute 'bogus'"):
        spec("bogus")
