"""Conversions between dtypes, and gradients that are given by hand."""

import keras
import numpy as np
import pytest
from keras import ops

import tapeflow as tf


@pytest.mark.parametrize("have", ["float16", "bfloat16", "float32", "float64"])
def test_floats_beyond_a_narrow_integers_range_end_at_its_border(have):
    # They used to wrap around: a zero point of -3 became 253, and GPTQ with groups gave nonsense.
    x = ops.cast(np.array([-3.0, -300.0, 7.0, 300.0]), have)
    assert ops.cast(x, "uint8").numpy().tolist() == [0, 0, 7, 255]
    assert ops.cast(x, "int8").numpy().tolist() == [-3, -128, 7, 127]
    assert ops.convert_to_tensor(x, "uint8").numpy().tolist() == [0, 0, 7, 255]


def test_integers_wrap():
    assert ops.cast(np.array([-3, 300]), "uint8").numpy().tolist() == [253, 44]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_custom_gradient_through_a_quantizer(wrap):
    # Keras' own tests of it are for tensorflow, jax and torch only.
    @wrap
    def gradients(x, low, high):
        with tf.GradientTape() as tape:
            tape.watch([x, low, high])
            y = keras.quantizers.fake_quant_with_min_max_vars(x, low, high, num_bits=8)
        return tape.gradient(y, [x, low, high], output_gradients=tf.constant([1.0, 2.0, 3.0, 4.0]))

    x, low, high = gradients(tf.constant([-1.0, 0.5, 100.0, 300.0]), tf.constant(0.0), tf.constant(255.0))
    assert x.numpy().tolist() == [0, 2, 3, 0]  # inside the range it passes
    assert (float(low), float(high)) == (1, 4)  # what is beyond moves with the border
