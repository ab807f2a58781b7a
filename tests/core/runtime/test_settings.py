"""Settings of the process: what one thread sets, the others see at once, as in TensorFlow."""

import threading

import pytest

import tapeflow as tf
from tapeflow.core.runtime import settings

SETTINGS = {
    "functions_run_eagerly": (tf.config.run_functions_eagerly, tf.config.functions_run_eagerly),
    "tensor_float_32": (
        tf.config.experimental.enable_tensor_float_32_execution,
        tf.config.experimental.tensor_float_32_execution_enabled,
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_another_thread_sees_it(name, monkeypatch):
    monkeypatch.setattr(settings, name, before := getattr(settings, name))
    put, get = SETTINGS[name]
    thread = threading.Thread(target=put, args=(not before,))
    thread.start()
    thread.join()
    assert get() is not before
