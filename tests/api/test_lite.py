"""What is not here says so when it is called, and settings that name it before do not fail."""

import pytest

import tapeflow as tf


@pytest.mark.parametrize("make", ["from_keras_model", "from_saved_model", "from_concrete_functions"])
def test_no_converter(make):
    with pytest.raises(NotImplementedError, match=r"model.save\('model.keras'\)"):
        getattr(tf.lite.TFLiteConverter, make)("model")


def test_no_interpreter():
    with pytest.raises(NotImplementedError, match="ai-edge-litert"):
        tf.lite.Interpreter(model_path="m.tflite")
    assert [tf.lite.Optimize.DEFAULT] == ["DEFAULT"]
