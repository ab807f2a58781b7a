import copy
import pickle

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.interop.taped_array import TapedArray

A = np.array([[1.0, 2.0], [3.0, 4.0]])


# Every method of arrays that a program is likely to call: what it gives is NumPy's, and where that can have a gradient
# it is the one of finite differences.
METHODS = {
    "item": lambda y: y.sum().item(),
    "tolist": lambda y: y.tolist(),
    "astype": lambda y: y.astype(np.float32),
    "astype of integers": lambda y: y.astype(int),
    "sum": lambda y: y.sum(axis=0),
    "mean": lambda y: y.mean(),
    "std": lambda y: y.std(axis=1),
    "var": lambda y: y.var(),
    "max": lambda y: y.max(axis=0),
    "min": lambda y: y.min(),
    "prod": lambda y: y.prod(axis=1),
    "cumsum": lambda y: y.cumsum(),
    "cumprod": lambda y: y.cumprod(axis=0),
    "clip": lambda y: y.clip(1.5, 3.5),
    "dot": lambda y: y.dot(y),
    "trace": lambda y: y.trace(),
    "diagonal": lambda y: y.diagonal(),
    "take": lambda y: y.take([0, 3]),
    "repeat": lambda y: y.repeat(2, axis=0),
    "reshape": lambda y: y.reshape(4, 1),
    "reshape to a tuple": lambda y: y.reshape((1, 4)),
    "ravel": lambda y: y.ravel(),
    "flatten": lambda y: y.flatten(),
    "transpose": lambda y: y.transpose(),
    "transpose by axes": lambda y: y.transpose(1, 0),
    "swapaxes": lambda y: y.swapaxes(0, 1),
    "T": lambda y: y.T,
    "mT": lambda y: y.mT,
    "real": lambda y: y.real,
    "copy": lambda y: y.copy(),
    "conj": lambda y: y.conj(),
    "squeeze": lambda y: y[:1].squeeze(),
    "a row": lambda y: y[1],
    "an element": lambda y: y[1, 0],
    "a mask": lambda y: y[y > 1.5],
    "indices": lambda y: y[[1, 0]],
    "rows": lambda y: [row * 2 for row in y],
    "arithmetic": lambda y: (2 * y - y / 3) ** 2 @ y + 1,
    "comparison": lambda y: (y > 2) & (y != 4),
    "argmax": lambda y: y.argmax(axis=1),
    "argsort": lambda y: y.argsort(),
    "nonzero": lambda y: y.nonzero(),
    "all": lambda y: y.all(),
    "any": lambda y: (y > 9).any(),
    "searchsorted": lambda y: y.ravel().searchsorted(2.5),
    "view": lambda y: y.view(np.int64),
    "tobytes": lambda y: y.tobytes(),
    "shape": lambda y: (y.shape, y.ndim, y.size, y.dtype),
    "format": lambda y: f"{y[0, 0]:.2f}",
    "float": lambda y: float(y[0, 0]),
    "int": lambda y: int(y[0, 1]),
    "pickled": lambda y: pickle.loads(pickle.dumps(y)),
}


def leaves(out):
    return [leaf for part in out for leaf in leaves(part)] if isinstance(out, (list, tuple)) else [out]


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_those_of_arrays_and_keep_the_gradient(name):
    method = METHODS[name]
    want = method(A)
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = np.squeeze(x)
        assert type(y) is TapedArray
        got = method(y)
    for g, w in zip(leaves(got), leaves(want), strict=True):
        assert not isinstance(g, tf.Tensor)
        if isinstance(w, (np.ndarray, np.generic)):
            assert (np.asarray(g).dtype, np.shape(g)) == (w.dtype, w.shape)
            np.testing.assert_allclose(np.asarray(g), w, rtol=1e-6)
            floating = w.dtype.kind == "f" and name != "pickled"
            assert (type(g) is TapedArray and g.tensor is not None) == floating
        else:
            assert g == w and type(g) is type(w)
    targets = [g for g in leaves(got) if type(g) is TapedArray]
    if not targets or name == "astype":
        return
    step = np.array([[0.3, -0.2], [0.5, 0.1]])
    total = lambda a: sum(float(np.sum(w)) for w in leaves(method(a)))
    numeric = (total(A + 1e-6 * step) - total(A - 1e-6 * step)) / 2e-6
    assert float(np.sum(tape.gradient(targets, x).numpy() * step)) == pytest.approx(numeric, rel=1e-6)


def test_the_probabilities_of_a_policy():
    """What actor-critic programs do: draw an action by np.random.choice, and differentiate its probability."""
    logits = tf.Variable([0.3, -0.2, 0.1])
    with tf.GradientTape() as tape:
        p = np.squeeze(tf.nn.softmax(logits[None]))
        action = np.random.default_rng(0).choice(3, p=p)
        action = np.random.RandomState(action).choice(3, p=p)
        loss = tf.math.log(p[action]) + tf.reduce_sum(tf.stack([p, p])) + tf.convert_to_tensor([p[0], 2.0])[1]
    want = np.eye(3)[action] - tf.nn.softmax(logits).numpy()
    np.testing.assert_allclose(tape.gradient(loss, logits).numpy(), want, atol=1e-6)


def test_operations_take_it_for_its_tensor():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.square(x)
        results = [tf.sin(y), x * y, y * x, tf.concat([y, x], 0), tf.convert_to_tensor([[y], [x]]), tf.stack([y, y])]
        mixed = tf.constant([1.0, 1.0], tf.float64) * y
    for result in results:
        assert isinstance(result, tf.Tensor) and tape.gradient(result, x) is not None
        assert tape.gradient(result, y) is not None
    assert mixed.dtype is tf.float64 and tape.gradient(mixed, x).numpy().tolist() == [2.0, 4.0]
    assert tape.gradient(y, x).numpy().tolist() == tape.gradient([y], x).numpy().tolist() == [2.0, 4.0]


def test_it_cannot_be_written_to_and_stays_an_array_of_its_own():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = before = np.multiply(x, 2.0)
        with pytest.raises(ValueError, match="read-only"):
            y[0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            np.copyto(y.plain(), 0.0)
        y += 1
        y *= 2
        y -= 1
        y /= 2
        y **= 2
        changed = np.array(y)
        changed[0] = 7.0
    assert before.tolist() == [2.0, 4.0] and y.tolist() == [6.25, 20.25]
    assert tape.gradient(y, x).numpy().tolist() == [10.0, 18.0]
    assert copy.deepcopy(y) is y and type(np.sin(y)) is np.ndarray  # nobody watches any more


def test_what_cannot_have_a_gradient_is_a_plain_array_of_its_own():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        for made in (np.argmax(x), np.isnan(x), np.zeros_like(x), np.equal(x, 1.0), np.nonzero(x)[0], np.sign(x) > 0):
            assert type(made) in (np.ndarray, np.int64)
        np.zeros_like(x)[0] = 3.0
        np.isnan(x)[0] = True


def test_leaving_is_noted():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(np.square(x).tolist())
    with pytest.raises(ValueError, match="tolist"):
        tape.gradient(y, x, unconnected_gradients="error")


# Whatever takes a tensor, beyond operations: the array used to be a constant there, or was refused.
TAKERS = {
    "tf.function": lambda y: tf.function(lambda v: v * 2.0)(y),
    "custom_gradient": lambda y: tf.custom_gradient(lambda v: (v * 2.0, lambda g: g * 2.0))(y),
    "recompute_grad": lambda y: tf.recompute_grad(lambda v: v * 2.0)(y),
    "py_function": lambda y: tf.py_function(lambda v: v * 2.0, [y], tf.float64),
    "vectorized_map": lambda y: tf.vectorized_map(lambda v: v * 2.0, y),
    "map_fn": lambda y: tf.map_fn(lambda v: v * 2.0, y),
    "cond": lambda y: tf.cond(tf.constant(True), lambda: y * 2.0, lambda: y),
    "a ragged tensor": lambda y: tf.RaggedTensor.from_row_lengths(y, [1, 1]).flat_values * 2.0,
    "a sparse tensor": lambda y: tf.SparseTensor([[0], [1]], y, [2]).values * 2.0,
    "Keras' operations": lambda y: tf.keras.ops.add(y, tf.keras.ops.stack([y[0], y[1]])),
    "a layer of Keras": lambda y: tf.keras.layers.Rescaling(2.0, dtype="float64")(y),
    "Python's sum": lambda y: tf.stack([sum([v, v]) for v in y]),
}


@pytest.mark.parametrize("name", TAKERS)
def test_what_takes_tensors_takes_it(name):
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = TAKERS[name](np.square(x))
    assert np.asarray(y).tolist() == [2.0, 8.0]
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 8.0]


def test_jacobians_and_tangents():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.square(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as accumulator:
        z = np.square(x)
    assert type(z) is TapedArray and accumulator.jvp(z).numpy().tolist() == [2.0, 4.0]
