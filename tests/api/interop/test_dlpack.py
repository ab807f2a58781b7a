import numpy as np
import pytest

import tapeflow as tf

to_dlpack, from_dlpack = tf.experimental.dlpack.to_dlpack, tf.experimental.dlpack.from_dlpack


@pytest.mark.parametrize(
    "dtype", [tf.float16, tf.float32, tf.float64, tf.int8, tf.uint8, tf.int32, tf.int64, tf.bool, tf.complex64]
)
def test_round_trip(dtype):
    x = tf.cast(tf.constant([[1, 0, 1], [1, 1, 0]]), dtype)
    for back in (from_dlpack(to_dlpack(x)), from_dlpack(x)):
        assert back.dtype is dtype
        np.testing.assert_array_equal(back.numpy(), x.numpy())
        assert np.shares_memory(np.asarray(back), np.asarray(x))


def test_numpy_reads_the_memory_and_cannot_write_it():
    x = tf.constant([1.0, 2.0])
    a = np.from_dlpack(x)
    assert np.shares_memory(a, np.asarray(x)) and not a.flags.writeable
    assert x.__dlpack_device__() == tf.Variable(1.0).__dlpack_device__() == (1, 0)
    assert np.from_dlpack(tf.Variable([3.0])).tolist() == [3.0]


def test_tensors_on_the_memory_of_others():
    a = np.arange(6.0).reshape(2, 3)
    x = from_dlpack(a)
    assert np.shares_memory(np.asarray(x), a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), 2 * a)
    assert from_dlpack(np.array(5.0)).numpy() == 5.0
    assert from_dlpack(a[:, ::2]).numpy().tolist() == a[:, ::2].tolist()


def test_broadcast_memory_is_copied_for_those_who_might_write():
    x = tf.broadcast_to(tf.constant(1.0), [3])
    assert from_dlpack(to_dlpack(x)).numpy().tolist() == [1.0, 1.0, 1.0]


def test_bad_arguments():
    for f, error in [
        (lambda: to_dlpack([1.0]), TypeError),
        (lambda: from_dlpack(1.0), tf.errors.InvalidArgumentError),
        (lambda: tf.constant(1.0).__dlpack__(dl_device=(2, 0)), BufferError),
    ]:
        with pytest.raises(error):
            f()
