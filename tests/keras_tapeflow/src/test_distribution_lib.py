"""`keras.distribution`: the devices there are, and work on one of them."""

import keras
import numpy as np
import pytest


def test_devices():
    assert keras.distribution.list_devices("cpu") == ["cpu:0"]
    assert keras.distribution.get_device_count("cpu") == 1
    assert keras.distribution.list_devices() != []


def test_one_device_is_as_good_as_no_distribution():
    distribution = keras.distribution.DataParallel(devices=["cpu:0"])
    model = keras.Sequential([keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    with distribution.scope():
        model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    layout = keras.distribution.TensorLayout([None], distribution.device_mesh)
    assert keras.distribution.distribute_tensor(model.variables[1], layout) is model.variables[1]
    assert layout.backend_layout is layout and distribution.device_mesh.backend_mesh is distribution.device_mesh


def test_several_are_refused():
    keras.distribution.initialize()
    with pytest.raises(NotImplementedError, match="trains in one process"):
        keras.distribution.initialize("10.0.0.1,10.0.0.2", 2, 0)
    mesh = keras.distribution.DeviceMesh((2,), ["batch"], ["cpu:0", "cpu:1"])
    with pytest.raises(
        NotImplementedError, match=r"does not spread tensors over devices; the mesh has \['cpu:0', 'cpu:1'\]"
    ):
        keras.distribution.distribute_tensor(np.ones(2), keras.distribution.TensorLayout(["batch"], mesh))
