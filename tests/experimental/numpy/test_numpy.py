import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.interop.numpy_functions import FUNCTIONS

tnp = tf.experimental.numpy


def test_the_namespace():
    import tapeflow.experimental.numpy as imported

    assert imported is tnp and tnp.ndarray is tf.Tensor and tnp.pi == np.pi and tnp.newaxis is None
    assert tnp.linalg.norm([3.0, 4.0]).numpy() == 5.0 and tnp.fft.fft([1.0, 0.0]).shape == (2,)
    assert set(tnp.__all__) >= {name for name in FUNCTIONS if "." not in name}
    assert (tnp.shape([[1, 2]]), tnp.ndim([[1, 2]]), tnp.size([[1, 2]]), tnp.size([[1, 2]], 0)) == ((1, 2), 2, 2, 1)
    assert tnp.iscomplexobj([1j]) and tnp.isrealobj([1.0])


def test_variables_and_gradients():
    v = tf.Variable([4.0, 9.0])
    with tf.GradientTape() as tape:
        y = tnp.sqrt(v)
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), [1 / 4, 1 / 6])


def test_ties_and_corners_have_the_usual_gradient():
    a, b = tf.constant([0.0, -np.inf]), tf.constant([0.0, -np.inf])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tnp.logaddexp(a, b)
    ga, gb = tape.gradient(y, [a, b])
    assert ga.numpy()[0] == gb.numpy()[0] == 0.5 and np.isfinite(ga.numpy()).all() and np.isfinite(gb.numpy()).all()
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tnp.hypot(a[:1], b[:1])
    assert [g.numpy()[0] for g in tape.gradient(y, [a, b])] == [0.0, 0.0]


def test_promotion():
    assert tnp.add(tf.constant(1), tf.constant(1.0)).dtype is tf.float64
    assert tnp.add(tf.constant(1.0), 1).dtype is tf.float32
    assert tnp.result_type(tf.int8, tf.uint8) is tf.int16
    assert tnp.sum(tf.constant([1, 2])).dtype is tf.int64
    assert tnp.mean([1, 2]).numpy() == 1.5


PROGRAM = """
import tapeflow as tf
x = tf.constant([[1., 2.], [3., 4.]])
try:
    x.reshape(4)
    raise SystemExit("methods are there before they are asked for")
except AttributeError:
    pass
tf.experimental.numpy.experimental_enable_numpy_behavior()
assert (tf.constant(1) + tf.constant(0.5)).dtype == tf.float64
assert x.reshape(4).shape == x.reshape((2, 2)).reshape(-1).shape == x.ravel().shape == (4,)
for turned in (x.T, x.transpose(), x.transpose(1, 0)):
    assert turned.numpy().tolist() == [[1., 3.], [2., 4.]]
assert (x.max().numpy(), x.min(axis=0).numpy().tolist(), x.mean().numpy()) == (4., [1., 2.], 2.5)
assert x.astype("int64").dtype == tf.int64 and x.tolist() == [[1., 2.], [3., 4.]]
assert x.clip(2, 3).numpy().tolist() == [[2., 2.], [3., 3.]]
assert x[[0, 1]].shape == (2, 2) and (x == None) is False
"""


def test_numpy_behavior():
    """A switch for the whole process, so it gets one of its own."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_unknown_names():
    with pytest.raises(AttributeError):
        tnp.no_such_function  # noqa: B018


def test_random_numbers():
    tnp.random.seed(1)
    a = tnp.random.randn(3)
    tnp.random.seed(1)
    assert a.numpy().tolist() == tnp.random.randn(3).numpy().tolist() and a.dtype is tf.float64
    assert tnp.random.rand(2, 3).shape == tnp.random.standard_normal((2, 3)).shape == (2, 3)
    draws = tnp.random.randint(2, 5, size=200).numpy()
    assert draws.dtype == np.int64 and set(draws.tolist()) == {2, 3, 4}
    assert 4.0 <= tnp.random.uniform(4.0, 5.0).numpy() < 5.0
    assert tnp.random.poisson([1.0, 50.0], (100, 2)).numpy().mean(0)[1] == pytest.approx(50, rel=0.2)


def test_vectors_multiply_as_numpys(monkeypatch):
    """After `experimental_enable_numpy_behavior`; before, as TensorFlow's, which takes matrices alone."""
    from tapeflow.core.runtime import settings

    monkeypatch.setattr(settings, "numpy_promotion", settings.numpy_promotion)
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    m, v = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, -1.0])
    assert (m @ v).numpy().tolist() == [-1.0, -1.0] and (v @ m).numpy().tolist() == [-2.0, -2.0]
    assert float(v @ v) == 2.0 and (np.array([1.0, 0.0], np.float32) @ m).numpy().tolist() == [1.0, 2.0]
    assert (m @ m).shape == [2, 2] and (tf.Variable(m) @ v).numpy().tolist() == [-1.0, -1.0]
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = (m @ v)[0] * 3.0
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 6.0]
    assert tf.function(lambda a, b: a @ b)(m, v).numpy().tolist() == [-1.0, -1.0]
    settings.numpy_promotion = False
    with pytest.raises(tf.errors.InvalidArgumentError, match="matmul"):
        m @ v


def test_dtypes_of_tensors_by_position():
    tnp = tf.experimental.numpy
    for made in (
        tnp.zeros([2], tnp.int32),
        tnp.ones((2,), tf.int32),
        tnp.arange(0, 2, 1, tnp.int32),
        tnp.identity(2, tnp.int32),
        tnp.zeros_like([1.0, 2.0], tnp.int32),
        tnp.ones_like([1.0], tnp.int32),
    ):
        assert made.dtype is tf.int32
