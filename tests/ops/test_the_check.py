"""The check of the registry must notice a rule that is wrong by one part in a thousand, and a wrong kernel."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tapeflow.core.tensor import EagerTensor

from . import test_registry
from .samples.sample import of
from .test_registry import SAMPLES, check_gradients, check_kernel, parts, tf_tensor


def wrong_by(factor, prim_name):
    """A function whose tape gradient is off by `factor`."""

    @tf.custom_gradient
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = REGISTRY[prim_name].entry(x)

        def backward(g):
            with tf.GradientTape() as again:
                again.watch(x)
                y = REGISTRY[prim_name].entry(x)
            return again.gradient(y, x, g) * factor

        return y, backward

    return lambda x: [f(x)]


@pytest.mark.parametrize("name", ["sin", "exp", "tanh", "square"])
def test_a_planted_error_is_caught(name):
    x = [tf_tensor(np.array([0.3, -0.7, 1.1]))]
    check_gradients(wrong_by(1.0, name), x, name, order=1, rtol=1e-4)
    with pytest.raises(AssertionError, match="gradient of"):
        check_gradients(wrong_by(1.001, name), x, name, order=1, rtol=1e-4)


def test_an_error_in_the_second_order_is_caught():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x)

        @tf.custom_gradient
        def slope(x):  # the right value, whose own derivative is off
            return tf.cos(x), lambda g: g * -tf.sin(x) * 1.001

        return y, slope

    @tf.custom_gradient
    def sine(x):
        return tf.sin(x), lambda g: g * f(x)[1](x)

    x = [tf_tensor(np.array([0.3, -0.7, 1.1]))]
    with pytest.raises(AssertionError, match="the gradient of sine"):
        check_gradients(lambda x: [sine(x)], x, "sine", order=2, rtol=1e-5)


def test_a_rule_that_asks_for_what_does_not_exist_fails_at_its_declaration():
    from tapeflow.core.primitive import primitive

    with pytest.raises(TypeError, match="asks for 'z'"):
        primitive("never_declared(x)", kernel="sin", vjp=lambda g, z: g * z)
    assert "never_declared" not in REGISTRY


# ---- values


def off(array):
    """The same shape and type, and other values everywhere."""
    if array.dtype.kind == "O":
        return np.array([value + b"?" for value in array.flat] + [None], object)[:-1].reshape(array.shape)
    if array.dtype.kind == "b":
        return ~array
    return array + array.dtype.type(1) if array.dtype.kind in "iu" else (array * 1.1 + 0.1).astype(array.dtype)


def caught(name):
    """The samples of a primitive in which the check sees that its kernel is wrong."""
    found = []
    for k, sample in enumerate(SAMPLES[name]):
        try:
            with np.errstate(all="ignore"):
                check_kernel(REGISTRY[name], sample)
        except (AssertionError, IndexError):  # a wrong permutation leads out of the matrix
            found.append(k)
    return found


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_wrong_kernel_is_caught(name, monkeypatch):
    right = test_registry.run

    def wrong(prim, args, params):
        out = right(prim, args, params)
        changed = [EagerTensor(np.asarray(off(np.asarray(o)))) for o in parts(prim, out)]
        return changed if prim.outputs else changed[0]

    monkeypatch.setattr(test_registry, "run", wrong)
    assert caught(name), f"no sample of {name!r} sees that every number is off"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("sin", lambda x: np.sin(x) * (1 + 1e-5)),  # a rounding too many
        ("roll", lambda x, shift, axis: np.roll(x, [-s for s in shift], axis)),  # the other way round
        ("eigh", lambda x: tuple(np.linalg.eigh(np.swapaxes(x, -1, -2)))),  # the other triangle
        ("split", lambda x, sizes, axis: np.split(x, np.cumsum(sizes)[:-1], axis)[::-1]),
        ("random_gamma", lambda key, alpha, lead: np.random.default_rng(0).gamma(alpha + 0.1)),
        ("string_upper", lambda x, encoding: np.array([s.upper() for s in x.flat], object).reshape(x.shape)),
        ("argsort", lambda x, descending: np.argsort(-x if descending else x, axis=-1)[..., ::-1]),
    ],
)
def test_a_kernel_that_is_nearly_right_is_caught(name, wrong, monkeypatch):
    def computed(prim, args, params):
        out = wrong(*args, **params)
        return [EagerTensor(np.asarray(o)) for o in out] if prim.outputs else EagerTensor(np.asarray(out))

    assert not caught(name)
    monkeypatch.setattr(test_registry, "run", computed)
    assert caught(name)


def test_a_reference_of_another_shape_is_caught():
    """NumPy's comparison would stretch it."""
    with pytest.raises(AssertionError, match="the reference has"):
        check_kernel(REGISTRY["square"], of(np.zeros((2, 3)), reference=lambda x: 0.0))
