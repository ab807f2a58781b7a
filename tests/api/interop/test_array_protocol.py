import numpy as np
import pytest
import scipy.special

import tapeflow as tf
from tapeflow.api.interop.taped_array import TapedArray

c = tf.constant


def test_numpy_answers_when_nobody_watches():
    x = c([1.0, 2.0])
    assert type(np.sum(x)) is np.float32
    assert type(np.sqrt(c(4.0))) is np.float32
    assert type(np.stack([x, x])) is np.ndarray
    assert type(np.add(x, x)) is np.ndarray
    assert np.histogram(x, bins=2)[0].tolist() == [1, 1]
    assert np.sum(tf.Variable([1.0, 2.0]), where=[True, False]) == 1.0
    with pytest.raises(ValueError, match="read-only"):
        np.reshape(x, (2, 1))[0] = 5.0


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_functions_of_what_a_tape_watches(make):
    x = make([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (
            np.sum(np.concatenate([x, 2.0 * x], axis=1) * np.where(x > 2.0, x, 0.0).shape[0])
            + np.mean(np.dot(x, x))
            + np.linalg.norm(x)
        )
    assert isinstance(y, np.ndarray)
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    want = 6 + (np.ones((2, 2)) @ a.T + a.T @ np.ones((2, 2))) / 4 + a / np.linalg.norm(a)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), want, rtol=1e-6)


def test_other_tensors_stay_with_numpy_while_a_tape_is_open():
    x, other = c([1.0]), c([2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert type(np.sin(other)) is np.ndarray
        assert type(np.add(other, x)) is TapedArray


def test_without_a_counterpart():
    x = c([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        for f, word in [
            (lambda: np.histogram(x), "np.histogram"),
            (lambda: np.add.reduceat(x, [0]), r"np\.add\.reduceat"),
            (lambda: scipy.special.jv(1, x), "jv"),
            (lambda: np.add(x, x, out=np.zeros(2, np.float32)), "out="),
            (lambda: np.sum(x, where=[True, False]), "where"),
        ]:
            with pytest.raises(TypeError, match=word):
                f()
        assert (
            np.shape(x) == (2,)
            and np.ndim(x) == 1
            and np.size(x) == 2
            and np.array_equal(x, x)
            and np.result_type(x) == np.float32
        )
    with pytest.raises(TypeError, match="never change"):
        np.add(x, x, out=x)


def test_methods_of_ufuncs():
    x = c([1.0, 2.0, 4.0], tf.float64)
    cases = [
        (lambda x: np.add.reduce(x), [1, 1, 1]), (lambda x: np.multiply.reduce(x), [8, 4, 2]),
        (lambda x: np.maximum.reduce(x), [0, 0, 1]), (lambda x: np.add.accumulate(x), [3, 2, 1]),
        (lambda x: np.multiply.outer(x, x), [14, 14, 14]),
    ]  # fmt: skip
    for f, want in cases:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        np.testing.assert_allclose(y.numpy(), f(x.numpy()))
        assert tape.gradient(y, x).numpy().tolist() == want


def test_special_functions_of_scipy():
    x = c([0.3, 0.6], tf.float64)
    for f, slope in [
        (scipy.special.expit, lambda a: scipy.special.expit(a) * (1 - scipy.special.expit(a))),
        (scipy.special.erf, lambda a: 2 / np.sqrt(np.pi) * np.exp(-(a**2))),
        (scipy.special.gammaln, scipy.special.digamma),
    ]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        np.testing.assert_allclose(tape.gradient(y, x).numpy(), slope(x.numpy()))


def test_an_array_on_the_left_is_the_tensors_operator():
    x = c([2.0, 3.0])
    for a in (np.array([4.0, 5.0]), np.float64(4.0)):
        for got in (a + x, a - x, a * x, a / x, a // x, a % x, a**x, a < x, a == x):
            assert isinstance(got, tf.Tensor) and got.dtype in (tf.float32, tf.bool)
    assert (np.ones((1, 2)) @ c([[2.0], [3.0]])).numpy().tolist() == [[5.0]]
    assert (np.array([True]) & c([False])).numpy().tolist() == [False]
    array = np.array([1.0, 1.0], np.float32)
    array += x
    assert type(array) is np.ndarray and array.tolist() == [3.0, 4.0]


def test_leaving_on_purpose_is_explained():
    x = c(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = c(np.sin(x.numpy())) * c(float(x))
    with pytest.raises(ValueError, match=r"numpy|float"):
        tape.gradient(y, x, unconnected_gradients="error")


def test_nested_tapes_and_second_order():
    x = c(0.5, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = np.exp(np.sin(x))
        g = inner.gradient(y, x)
    a = 0.5
    assert outer.gradient(g, x).numpy() == pytest.approx(np.exp(np.sin(a)) * (np.cos(a) ** 2 - np.sin(a)))
