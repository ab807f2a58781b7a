"""tf.config: the answers of a machine with one CPU, and settings that are kept."""

import pytest

import tapeflow as tf


def test_devices():
    [cpu] = tf.config.list_physical_devices("CPU")
    assert (cpu.name, cpu.device_type) == ("/physical_device:CPU:0", "CPU")
    assert tf.config.experimental.list_physical_devices("GPU") == tf.config.list_logical_devices("TPU") == []
    tf.config.set_visible_devices([], "GPU")
    for unknown in ("x", tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")):
        with pytest.raises(ValueError, match="Unrecognized device"):
            tf.config.set_visible_devices(unknown)
    with pytest.raises(ValueError, match="No matching devices found for 'GPU:0'"):
        tf.config.experimental.get_memory_info("GPU:0")


def test_settings_are_given_back():
    config = tf.config
    config.threading.set_inter_op_parallelism_threads(2)
    assert config.threading.get_inter_op_parallelism_threads() == 2
    config.threading.set_inter_op_parallelism_threads(0)
    assert config.optimizer.get_jit() == ""
    config.optimizer.set_jit(True)
    assert config.optimizer.get_jit() == "autoclustering"
    config.optimizer.set_jit(False)
    assert config.optimizer.get_experimental_options() == {
        "disable_model_pruning": False,
        "disable_meta_optimizer": False,
    }


def test_device_policy():
    experimental = tf.config.experimental
    for policy in ("silent_for_int32", "warn", "explicit", "silent"):
        experimental.set_device_policy(policy)
        assert experimental.get_device_policy() == policy
    experimental.set_device_policy(None)
    assert experimental.get_device_policy() == "silent"
    with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'loud'"):
        experimental.set_device_policy("loud")


def test_other_machines():
    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({}))
    tf.config.experimental_connect_to_cluster(tf.distribute.cluster_resolver.TFConfigClusterResolver())
    with pytest.raises(tf.errors.UnimplementedError, match="cannot connect to host:1"):
        tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({"worker": ["host:1"]}))
    with pytest.raises(ValueError, match="at least one remote_host"):
        tf.config.experimental_connect_to_host()


def test_what_has_no_effect():
    tf.config.experimental.enable_mlir_bridge()
    tf.config.experimental.disable_mlir_bridge()
    tf.config.experimental.ClusterDeviceFilters().set_device_filters("worker", 0, ["/job:ps"])
