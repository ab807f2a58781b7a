"""A NaN in an input reaches every element of the output that depends on it, or the operation refuses it.

What depends on an element is found out by moving the element. Integers and bools cannot say NaN and are left out.
"""

import contextlib

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.primitive import REGISTRY

from .samples import all_samples
from .test_registry import input_name, parts, run

SAMPLES = all_samples()

# Where it may stop, by what the operation is.
_PERMUTES = "a NaN takes its own place in the order, behind all numbers; the others stay numbers"
_MASKS = "asks whether the unit was on, which is no at NaN, as in TensorFlow"
BY_DEFINITION = {
    ("sort", "x"): _PERMUTES,
    ("top_k", "x"): _PERMUTES,
    ("relu_grad", "output"): _MASKS,
    ("relu6_grad", "output"): _MASKS,
    ("leaky_relu_grad", "output"): _MASKS,
    ("pinv", "rcond"): "a threshold, and nothing is above NaN, as in TensorFlow",
}
_RANDOM = {"sample_classes"}  # draws until it has enough classes

CASES = {
    (name, i): sample
    for name, samples in sorted(SAMPLES.items())
    for sample in reversed(samples)  # the first that fits stays
    for i, a in enumerate(sample.args)
    if np.asarray(a).dtype.kind in "fc" and np.size(a) and np.isfinite(a).all() and name not in _RANDOM
}


def on_numpy(name):
    prim = REGISTRY[name]
    return lambda args, params: [np.asarray(o.array) for o in parts(prim, run(prim, args, params))]


def compiled(name):
    prim = REGISTRY[name]
    f = tf.function(lambda args, params: parts(prim, prim.entry(*args, **params)), jit_compile=True)
    return lambda args, params: [o.numpy() for o in f([tf.constant(a) for a in args], params)]


def places_it_misses(compute, args, params, i):
    """For each output, how many elements depend on the middle element of `args[i]` and are not NaN when that is."""
    x = np.asarray(args[i])
    middle = x.size // 2

    def at(value):
        moved = np.array(x).reshape(-1)
        moved[middle] = value
        return compute([*args[:i], moved.reshape(x.shape), *args[i + 1 :]], params)

    before, moved = compute(args, params), []
    for step in (0.37, -0.71, 5.3, -11.1):
        with contextlib.suppress(InvalidArgumentError):  # outside of what it takes
            moved.append(at(x.reshape(-1)[middle] + step))
    try:
        after = at(np.nan)
    except InvalidArgumentError:
        return []
    missed = []
    for k, (old, new) in enumerate(zip(before, after)):
        if new.dtype.kind not in "fc" or any(m[k].shape != old.shape for m in moved):
            continue
        with np.errstate(all="ignore"):
            depends = np.any([np.abs(m[k] - old) > 1e-9 * (1 + np.abs(old)) for m in moved], axis=0)
        missed.append(int(np.sum(depends & ~np.isnan(new))))
    return missed


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
def test_a_nan_goes_through(name):
    for i in [i for n, i in CASES if n == name]:
        sample = CASES[name, i]
        which = input_name(REGISTRY[name], i)
        missed = places_it_misses(on_numpy(name), list(sample.args), sample.params, i)
        if (name, which) in BY_DEFINITION:
            assert any(missed), f"{name} passes a NaN in {which} on: take it off the list"
        else:
            assert not any(missed), f"{name}: a NaN in {which} misses {missed} elements that depend on it"


# The kernels on matrices choose pivots by comparing, which a NaN passes unseen, so XLA's are looked at one by one.
ON_MATRICES = [
    "cholesky", "cofactors", "det", "eig", "eigh", "eigvals", "eigvalsh", "expm", "inv", "logm", "lu_factor", "pinv",
    "qr", "singular_values", "slogdet", "solve", "sqrtm", "svd", "tridiagonal_solve",
]  # fmt: skip


@pytest.mark.parametrize("name", ON_MATRICES)
def test_a_nan_goes_through_compiled_matrices(name):
    pytest.importorskip("jax")
    sample = CASES[name, 0]
    missed = places_it_misses(compiled(name), list(sample.args), sample.params, 0)
    assert not any(missed), f"{name} under XLA: a NaN misses {missed} elements that depend on it"


# XLA's special functions are pieced together from series, between which a NaN can be taken for an ordinary number.
def in_pieces(kernel):
    return isinstance(kernel, dict) and str(kernel.get("jax")).startswith(("math.special", "math.bessel"))


PIECED = sorted({name for name, _ in CASES if in_pieces(REGISTRY[name].kernel)})


@pytest.mark.parametrize("name", PIECED)
def test_a_nan_goes_through_series(name):
    """J and Y of NaN were 0.06 when they were compiled."""
    pytest.importorskip("jax")
    from tapeflow.engines import xla

    for i in [i for n, i in CASES if n == name]:
        sample = CASES[name, i]
        args = [np.array(a, np.float32) for a in sample.args]
        args[i].reshape(-1)[args[i].size // 2] = np.nan
        want = np.isnan(REGISTRY[name].on("numpy", np)(*args, **sample.params))
        np.testing.assert_array_equal(
            np.isnan(np.asarray(xla.kernel(REGISTRY[name])(*args, **sample.params))), want, err_msg=name
        )


MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
AS_NAN = ["det", "slogdet", "svd", "pinv", "expm", "logm", "sqrtm"]
REFUSED = ["inv", "solve", "lu", "eigh", "eigvalsh", "eig", "eigvals"]


def call(name, x):
    return tf.nest.flatten(tf.linalg.solve(x, tf.ones_like(x)) if name == "solve" else getattr(tf.linalg, name)(x))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("place", [(0, 0), (2, 0), (1, 1)])
def test_one_bad_matrix_of_a_batch(dtype, place):
    """LAPACK made numbers of it: det was 0, an eigenvalue 1.41, an inverse had rows that looked fine."""
    bad = MATRIX.astype(dtype)
    bad[place] = np.nan
    batch, good = tf.constant(np.stack([bad, MATRIX.astype(dtype)])), tf.constant(MATRIX.astype(dtype))
    for name in AS_NAN:
        for both, alone in zip(call(name, batch), call(name, good)):
            assert np.isnan(both[0]).all(), name
            np.testing.assert_allclose(np.abs(both[1]), np.abs(alone), rtol=1e-4, err_msg=name)
    for name in REFUSED:
        with pytest.raises(tf.errors.InvalidArgumentError):
            call(name, batch)


def test_determinants_with_infinities():
    """TensorFlow's results, by running it."""
    inf = np.inf
    matrices = [
        [[inf, 1.0], [1.0, 1.0]],
        [[inf, inf], [1.0, 1.0]],
        [[1.0, 1.0], [1.0, inf]],
        [[np.nan, 1.0], [1.0, 1.0]],
    ]
    np.testing.assert_equal(tf.linalg.det(matrices).numpy(), np.float32([inf, np.nan, inf, np.nan]))
    np.testing.assert_equal(
        tf.linalg.det([[inf, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]).numpy(), np.float32(np.nan)
    )


def test_a_singular_matrix_has_no_lu():
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.lu([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [2.0, 3.0, 4.0]])
