"""One check for every primitive: kernel, shape rule, and gradients of order 1 and 2 against finite differences."""

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import CUT, NO_RULE, REGISTRY, Spec
from tapeflow.core.tensor import EagerTensor

from .samples import all_samples


def says_something(sample):
    return sample.reference is not None or sample.holds is not None


SAMPLES = all_samples()
CASES = [(name, k) for name, samples in sorted(SAMPLES.items()) for k in range(len(samples))]


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_primitive_has_samples(name):
    assert SAMPLES.get(name), f"add a line for {name!r} to the file under tests/ops/samples that mirrors its module"


def test_no_sample_is_left_over():
    assert not SAMPLES.keys() - REGISTRY.keys()


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_primitive_is_compared(name):
    """With something else than itself, in at least one sample."""
    assert any(says_something(sample) for sample in SAMPLES[name]), (
        f"give a sample of {name!r} a `reference`, or say in `holds` what is true of its result"
    )


@pytest.mark.parametrize("name,k", [(n, k) for n, k in CASES if says_something(SAMPLES[n][k])])
def test_kernel(name, k):
    check_kernel(REGISTRY[name], SAMPLES[name][k])


@pytest.mark.parametrize("name,k", CASES)
def test_shape_rule(name, k):
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    arrays = [np.asarray(a) for a in sample.args]
    specs = parts(prim, prim.infer([Spec(shape=a.shape, dtype=a.dtype) for a in arrays], sample.params))
    outs = parts(prim, run(prim, sample.args, sample.params))
    assert len(specs) == len(outs)
    for spec, out in zip(specs, outs):
        # None is a size that only the values decide.
        shape = tuple(have if want is None else want for want, have in zip(spec.shape, out.array.shape, strict=True))
        assert (shape, np.dtype(spec.dtype)) == (out.array.shape, out.array.dtype), name


@pytest.mark.parametrize("name,k", [(n, k) for n, k in CASES if SAMPLES[n][k].order])
def test_gradients(name, k):
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    if not isinstance(prim.vjp, dict):
        assert prim.vjp in (CUT, NO_RULE)
        return
    wanted = [
        i for i, a in enumerate(sample.args)
        if np.asarray(a).dtype.kind in "fc" and has_rule(prim, i) and input_name(prim, i) not in sample.skip
    ]  # fmt: skip
    if not wanted or (callable(prim.result) and prim.result(**sample.params) == "cut"):
        return

    def f(*xs):
        args = [EagerTensor(a) if isinstance(a, np.generic) else tf_tensor(a) for a in sample.args]
        for i, x in zip(wanted, xs):
            args[i] = x
        outs = parts(prim, prim.entry(*args, **sample.params))
        return [o for o in outs if o.dtype.is_inexact]

    check_gradients(f, [tf_tensor(sample.args[i]) for i in wanted], name, sample.order, sample.rtol)


# ---- the check itself; `tests/ops/test_the_check.py` plants errors in it


def check_kernel(prim, sample):
    """What comes out is the sample's reference, and has the properties that it says."""
    out = run(prim, sample.args, sample.params)
    if sample.reference is not None:
        with np.errstate(all="ignore"):  # the kernel is quiet at infinities; its reference need not be
            want = sample.reference(*sample.args, **sample.params)
        for got, expected in zip(parts(prim, out), parts(prim, want), strict=True):
            agree(np.asarray(got), np.asarray(expected), prim.name)
    if sample.holds is not None:
        arrays = [np.asarray(o) for o in parts(prim, out)]
        sample.holds(arrays if prim.outputs else arrays[0], *sample.args, **sample.params)


def agree(got, expected, name):
    """Shapes are the same; numbers to within their rounding, whatever else exactly."""
    assert got.shape == expected.shape, f"{name}: {got.shape}, the reference has {expected.shape}"
    if got.dtype.kind in "fcV":
        eps = float(ml_dtypes.finfo(got.dtype).eps)
        np.testing.assert_allclose(
            got.astype(complex if got.dtype.kind == "c" else float), expected, max(1e-6, 8 * eps), 1e-9, err_msg=name
        )
    else:
        np.testing.assert_array_equal(got, expected, err_msg=name)


def tf_tensor(a):
    return EagerTensor(np.asarray(a)[()] if np.ndim(a) == 0 else np.asarray(a))


def parts(prim, out):
    return list(out) if prim.outputs else [out]


def run(prim, args, params):
    return prim.entry(*[tf_tensor(a) for a in args], **params)


def input_name(prim, i):
    return prim.inputs[0] if prim.variadic else prim.inputs[i]


def has_rule(prim, i):
    name = input_name(prim, i)
    return any(callable(r) and (name == k or isinstance(k, tuple) and name in k) for k, r in prim.vjp.items())


def real_dot(a, b):
    """The real inner product, which is what TensorFlow's complex gradient belongs to."""
    return float(np.sum(np.real(np.conj(a) * b)))


def check_gradients(f, xs, name, order, rtol, eps=1e-5, seed=0):
    """<u, J v> by finite differences and by the tape in one random direction; then the same for the gradient
    itself."""
    rng = np.random.default_rng(seed)
    random_like = lambda a: (
        rng.normal(size=np.shape(a)) + (1j * rng.normal(size=np.shape(a)) if np.asarray(a).dtype.kind == "c" else 0)
    ).astype(np.asarray(a).dtype)
    vs = [random_like(x.array) for x in xs]
    moved = lambda s: [np.asarray(o.array) for o in f(*[tf_tensor(x.array + s * eps * v) for x, v in zip(xs, vs)])]
    numeric = [(p - m) / (2 * eps) for p, m in zip(moved(+1), moved(-1))]
    us = [random_like(n) for n in numeric]

    def pulled(*inputs):
        with tf.GradientTape() as tape:
            tape.watch(list(inputs))
            outs = f(*inputs)
        gs = tape.gradient(
            outs, list(inputs), output_gradients=[tf_tensor(u) for u in us], unconnected_gradients="zero"
        )
        return [
            tf_tensor(np.asarray(g.numpy())) if isinstance(g, tf.IndexedSlices) and order == 1 else dense(g)
            for g in gs
        ]

    got = sum(real_dot(np.asarray(g.array), v) for g, v in zip(pulled(*xs), vs))
    want = sum(real_dot(u, n) for u, n in zip(us, numeric))
    size = sum(float(np.sum(np.abs(u) * np.abs(n))) for u, n in zip(us, numeric))
    assert abs(got - want) <= rtol * size + 1e-7, (
        f"gradient of {name}, order left {order}: {got} by the tape, {want} by differences"
    )
    if order > 1:
        check_gradients(pulled, xs, f"the gradient of {name}", order - 1, rtol * 10, eps=1e-4, seed=seed + 1)


def dense(g):
    return g.dense() if isinstance(g, tf.IndexedSlices) else g
