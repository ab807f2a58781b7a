"""Every primitive under forward mode and vectorisation, alone and composed with the tape, against differences and
loops."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY

from .samples import all_samples
from .test_batching import rows_like
from .test_registry import dense, has_rule, input_name, parts, real_dot, tf_tensor

SAMPLES = all_samples()


def differentiable(name, k):
    """The inputs to differentiate by, as the check of gradients chooses them."""
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    if (
        not sample.order
        or not isinstance(prim.vjp, dict)
        or callable(prim.result)
        and prim.result(**sample.params) == "cut"
    ):
        return []
    return [
        i for i, a in enumerate(sample.args)
        if np.asarray(a).dtype.kind in "fc" and has_rule(prim, i) and input_name(prim, i) not in sample.skip
    ]  # fmt: skip


CASES = [
    (name, k) for name, samples in sorted(SAMPLES.items()) for k in range(len(samples)) if differentiable(name, k)
]


def function(name, k):
    """The primitive as a function of its differentiable inputs, which returns its inexact outputs; and those
    inputs."""
    prim, sample, wanted = REGISTRY[name], SAMPLES[name][k], differentiable(name, k)

    def f(*xs):
        args = [tf_tensor(a) for a in sample.args]
        for i, x in zip(wanted, xs):
            args[i] = x
        return [o for o in parts(prim, prim.entry(*args, **sample.params)) if o.dtype.is_inexact]

    return f, [np.asarray(sample.args[i]) for i in wanted]


def direction(arrays, seed):
    rng = np.random.default_rng(seed)
    draw = lambda a: rng.normal(size=a.shape) + (1j * rng.normal(size=a.shape) if a.dtype.kind == "c" else 0)
    return [draw(np.asarray(a)).astype(np.asarray(a).dtype) for a in arrays]


def tensors(arrays):
    return [tf_tensor(a) for a in arrays]


def arrays(values):
    return [np.asarray(v.array) for v in values]


def pushed(f, xs, vs):
    with tf.autodiff.ForwardAccumulator(xs, vs) as accumulator:
        outs = f(*xs)
    return accumulator.jvp(outs, unconnected_gradients="zero")


def pulled(f, xs, us):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        outs = f(*xs)
    return [dense(g) for g in tape.gradient(outs, xs, output_gradients=us, unconnected_gradients="zero")]


def total(left, right):
    return sum(real_dot(a, b) for a, b in zip(left, right))


def close(got, want, size, rtol, what):
    assert abs(got - want) <= rtol * size + 1e-7, f"{what}: {got}, expected {want}"


@pytest.mark.parametrize("name,k", CASES)
def test_forward_reverse_and_differences(name, k):
    f, xs = function(name, k)
    sample, eps = SAMPLES[name][k], 1e-5
    vs = direction(xs, 0)
    at = lambda s: arrays(f(*tensors([x + s * eps * v for x, v in zip(xs, vs)])))
    numeric = [(p - m) / (2 * eps) for p, m in zip(at(+1), at(-1))]
    us = direction(numeric, 1)
    size = sum(float(np.sum(np.abs(u) * np.abs(n))) for u, n in zip(us, numeric))
    forward = total(us, arrays(pushed(f, tensors(xs), tensors(vs))))
    close(forward, total(us, numeric), size, sample.rtol, f"forward mode of {name} against differences")
    reverse = total(arrays(pulled(f, tensors(xs), tensors(us))), vs)
    close(
        forward,
        reverse,
        size,
        1e-8 if sample.rtol <= 1e-4 else sample.rtol,
        f"forward mode of {name} against reverse mode",
    )


@pytest.mark.parametrize("name,k", [(n, k) for n, k in CASES if SAMPLES[n][k].order > 1])
def test_second_order_in_every_way(name, k):
    """<w, H v> by reverse over reverse, forward over reverse, reverse over forward and forward over forward, H that of
    <u, f>."""
    f, xs = function(name, k)
    us = tensors(direction(arrays(f(*tensors(xs))), 1))
    vs, ws = tensors(direction(xs, 2)), tensors(direction(xs, 3))
    gradient = lambda *at: pulled(f, list(at), us)
    want = total(arrays(pulled(gradient, tensors(xs), ws)), arrays(vs))
    size = float(sum(np.sum(np.abs(a)) for a in arrays(pulled(gradient, tensors(xs), ws)))) + abs(want)
    found = {
        "forward over reverse": total(arrays(pushed(gradient, tensors(xs), vs)), arrays(ws)),
        "reverse over forward": total(
            arrays(pulled(lambda *at: pushed(f, list(at), vs), tensors(xs), us)), arrays(ws)
        ),
        "forward over forward": total(
            arrays(pushed(lambda *at: pushed(f, list(at), vs), tensors(xs), ws)), arrays(us)
        ),
    }
    for how, got in found.items():
        close(got, want, size, 1e-7, f"{how} of {name}")


@pytest.mark.parametrize("name,k", CASES)
def test_gradients_and_maps(name, k):
    """The gradient of each row inside a map, and the gradient through a map, are those of the rows one by one."""
    f, xs = function(name, k)
    size = 2
    rows = [rows_like(x, size) for x in xs]
    outs = arrays(f(*tensors(xs)))
    us = tensors(direction(outs, 1))
    one_by_one = [arrays(pulled(f, tensors([r[i] for r in rows]), us)) for i in range(size)]
    want = [np.stack(column) for column in zip(*one_by_one)]
    inside = tf.vmap(lambda *at: pulled(f, list(at), us))(*tensors(rows))
    through = pulled(lambda *at: tf.vmap(f)(*at), tensors(rows), tensors([np.stack([u.array] * size) for u in us]))
    for what, found in (("inside a map", inside), ("through a map", through)):
        for got, expected in zip(arrays(found), want):
            np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8, err_msg=f"gradient of {name} {what}")
