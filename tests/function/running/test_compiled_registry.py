"""Every primitive compiled by XLA: its values, and gradients of order 1 and 2, are eager's.

What takes time is compiling, so one function has the samples of a primitive (but for single numbers where the
primitive takes numbers one by one), and the gradients of one of them; the gradients of all, and of second order, are
tests that take long. (Gradients are made of primitives, each of which is compiled here.) Functions called under tapes,
where a call is one record with a compiled backward function, are compiled for one sample each: of one primitive for
each kind of mathematics, and for all in the long tests.
"""

from functools import partial

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tests.function.tracing.test_traced_registry import as_graph
from tests.ops.samples import one_of_each_kind
from tests.ops.test_interpretations import arrays, direction, pulled, tensors
from tests.ops.test_registry import has_rule, input_name, parts, tf_tensor

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tests.engines.xla.test_kernels import CASES, FREE, RANDOM, SAMPLES, close

GPUS = tf.config.list_physical_devices("GPU")
DEVICES = ["/CPU:0", *(["/GPU:0"] if GPUS else [])]

# XLA cannot have gradients whose size depends on values.
GRADIENT_BY_VALUES = {"uncompress"}

# The second derivatives by the parameters have no rule.
NO_CURVATURE = {"igamma", "igammac", "betainc"}


def differentiable(name, k):
    """The inputs to differentiate by: those of the registry check, and those it skips where only differences do not
    agree."""
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    cut = not isinstance(prim.vjp, dict) or callable(prim.result) and prim.result(**sample.params) == "cut"
    if not sample.order or cut or name in GRADIENT_BY_VALUES:
        return []
    skip = sample.skip if name in NO_CURVATURE else ()
    return [
        i for i, a in enumerate(sample.args)
        if tf_tensor(a).dtype.is_inexact and has_rule(prim, i) and input_name(prim, i) not in skip
    ]  # fmt: skip


NAMES = list(dict.fromkeys(name for name, _ in CASES))
FIRST = {name: k for name, k in reversed(CASES) if differentiable(name, k)}


class Case:
    """One sample as a function of its arguments, with its derivatives by those that have a rule, in fixed
    directions."""

    def __init__(self, name, k, order=2):
        self.prim, self.sample, self.what = REGISTRY[name], SAMPLES[name][k], f"{name}, sample {k}"
        self.wanted = differentiable(name, k)
        self.order = min(order, self.sample.order) if self.wanted else 0
        self.args = [tf_tensor(a) for a in self.sample.args]
        self.us = tensors(direction(arrays(self.inexact(*self.args)), 1)) if self.order else []
        self.ws = tensors(direction(arrays(self.xs(self.args)), 2))

    def xs(self, args):
        return [args[i] for i in self.wanted]

    def values(self, *args):
        return parts(self.prim, self.prim.entry(*args, **self.sample.params))

    def inexact(self, *args):
        return [y for y in self.values(*args) if y.dtype.is_inexact]

    def at(self, args, *xs):
        """The inexact results with `xs` in place of the arguments to differentiate by."""
        args = list(args)
        for i, x in zip(self.wanted, xs):
            args[i] = x
        return self.inexact(*args)

    def derivatives(self, args, function):
        """The gradients of `function`, which is `at` or the same compiled, up to the order of the sample."""
        gradient = lambda *xs: pulled(partial(function, args), list(xs), self.us)
        xs, found = self.xs(args), []
        if self.order > 0:
            found.append(gradient(*xs))
        if self.order > 1:
            found.append(pulled(gradient, xs, self.ws))
        return found

    def check(self, got, want, device):
        loose = RANDOM if device == "/CPU:0" else RANDOM | FREE
        for k, (a, b) in enumerate(zip(got, want, strict=True)):
            close(
                arrays(a),
                arrays(b),
                f"{self.what}, [{k}]",
                self.prim.name not in loose,
                rough=1 if device == "/CPU:0" else 20,
            )


def test_on_a_gpu_too():
    if not GPUS:
        pytest.skip("there is no GPU here: primitives are compiled for the CPU only")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_values_and_a_gradient(name, device):
    samples = [k for n, k in CASES if n == name]
    several = [
        k for k in samples if not REGISTRY[name].elementwise or any(np.size(a) > 1 for a in SAMPLES[name][k].args)
    ]
    check_inside([Case(name, k, order=int(FIRST.get(name) == k)) for k in several or samples], device)


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_tapes_inside(name, device):
    check_inside([Case(name, k) for n, k in CASES if n == name], device)


def check_inside(cases, device):
    everything = lambda arguments: [[c.values(*args), *c.derivatives(args, c.at)] for c, args in zip(cases, arguments)]
    arguments = [case.args for case in cases]
    want = everything(arguments)
    with tf.device(device):
        compiled = tf.function(everything, jit_compile=True, autograph=False)
        assert as_graph(compiled, arguments)
        got = compiled(arguments)
    for case, g, w in zip(cases, got, want):
        case.check(g, w, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", one_of_each_kind(sorted(FIRST)))
def test_tapes_outside(name, device):
    case = Case(name, FIRST[name])
    with tf.device(device):
        compiled = tf.function(case.at, jit_compile=True, autograph=False)
        got = case.derivatives(case.args, compiled)
        assert compiled.get_concrete_function(
            case.args, *case.xs(case.args)
        ).function.derivatives  # a call is one record
    case.check(got, case.derivatives(case.args, case.at), device)


def test_constants():
    f = lambda x: tf.linalg.diag(tf.constant([1.0, 2.0])) @ x + tf.gather(tf.constant([[3.0], [4.0]]), [1, 0])
    x = tf.constant([[5.0], [6.0]])
    close(arrays([tf.function(f, jit_compile=True)(x)]), arrays([f(x)]), "constants")
