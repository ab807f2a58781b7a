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


LARGE = np.array([3, 2**40, 5])


def test_integers_of_64_bits_keep_them():
    # Keras' rules for backends that it does not know make 32 bits of them: 2**40 became 0.
    assert ops.convert_to_tensor(LARGE).dtype is tf.int64
    assert int(ops.max(LARGE)) == 2**40
    assert ops.add(tf.constant(LARGE), 1).numpy().tolist() == (LARGE + 1).tolist()
    assert ops.multiply(tf.constant(LARGE), tf.constant(2)).numpy().tolist() == (LARGE * 2).tolist()
    assert int(ops.sum(LARGE.astype(np.uint64))) == LARGE.sum()
    assert ops.where(LARGE > 4, LARGE, 0).numpy().tolist() == [0, 2**40, 5]


@pytest.mark.parametrize(
    "name",
    "abs copy cumprod cumsum diagonal expand_dims flip max maximum min negative prod ravel repeat reshape roll "
    "sort squeeze stack sum take tile transpose tril unique where".split(),
)
def test_functions_of_large_integers(name):
    call = {
        "expand_dims": lambda xp, x: xp.expand_dims(x, 0),
        "reshape": lambda xp, x: xp.reshape(x, (3, 1)),
        "repeat": lambda xp, x: xp.repeat(x, 2),
        "roll": lambda xp, x: xp.roll(x, 1),
        "stack": lambda xp, x: xp.stack([x, x]),
        "take": lambda xp, x: xp.take(x, np.array([1, 2])),
        "tile": lambda xp, x: xp.tile(x, (2,)),
        "maximum": lambda xp, x: xp.maximum(x, 4),
        "where": lambda xp, x: xp.where(x > 3, x, x - 1),
        "diagonal": lambda xp, x: xp.diagonal(x[None] + x[:, None]),
        "tril": lambda xp, x: xp.tril(x[None] + x[:, None]),
    }.get(name, lambda xp, x: getattr(xp, name)(x))
    assert call(ops, ops.convert_to_tensor(LARGE)).numpy().tolist() == call(np, LARGE).tolist()


@pytest.mark.parametrize(("a", "b", "both"), [("int8", "int32", "int32"), ("uint32", "int32", "int32")])
def test_narrower_integers_stay_narrow(a, b, both):
    assert ops.add(tf.ones([2], a), tf.ones([2], b)).dtype.name == both


def test_layers_of_large_integers():
    assert keras.layers.Discretization([0.0, 1e12])(np.array([2**45])).numpy().tolist() == [2]
    assert keras.layers.Reshape((1,))(LARGE[:, None]).numpy().ravel().tolist() == LARGE.tolist()
    assert keras.layers.IntegerLookup(vocabulary=[2**40, 5])(LARGE).numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "made", [2.0, [2.0], np.full(1, 2.0), tf.constant([2.0])], ids=["number", "list", "array", "tensor"]
)
def test_initializers_may_give_whatever_becomes_a_tensor(made):
    v = keras.Variable(lambda shape, dtype: made, shape=np.shape(made), dtype="float32")
    assert v.shape == np.shape(made) and v.dtype == "float32" and float(ops.sum(v)) == 2.0
