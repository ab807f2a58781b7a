"""Derivatives of one call: the tape's against finite differences, forward mode's against the tape's, to second order.

Everything is projected on random directions v and w: the tape gives <w, J v> by J^T w, forward mode by J v,
differences by two evaluations. Where two step sizes or the two sides disagree (a kink, a jump, an overflow) nothing is
concluded.
"""

import numpy as np

from .compare import Outcome, outcome
from .values import Array

STEPS = (1e-5, 2e-5)
ROUGH = {"special", "odd", "ties", "zeros", "big"}
DOUBLE = {"float32": "float64", "float16": "float64", "bfloat16": "float64", "complex64": "complex128"}
INEXACT = {*DOUBLE, *DOUBLE.values()}


def smooth(call):
    """The call in double precision and away from special points; None where nothing is differentiable."""
    leaves = []
    for leaf in call.leaves:
        fill = "normal" if leaf.dtype in INEXACT and leaf.fill in ROUGH else leaf.fill.removeprefix("odd ")
        leaves.append(type(leaf)(DOUBLE.get(leaf.dtype, leaf.dtype), leaf.shape, fill, leaf.seed))
    made = call.with_leaves(leaves)
    return made if sources(made) else None


def sources(call):
    """The places of the leaves to differentiate by."""
    return [
        k
        for k, leaf in enumerate(call.leaves)
        if type(leaf) is Array and leaf.dtype in DOUBLE.values() and np.prod(leaf.shape)
    ]


class Projection:
    """The call as a function of its differentiable leaves, with directions for sources and results."""

    def __init__(self, tf, call):
        self.tf, self.call, self.where = tf, call, sources(call)
        self.all = call.tensors(tf)
        self.xs = [self.all[k] for k in self.where]
        self.vs = self.directions(500)

    def directions(self, seed):
        """One for each source; a symmetric matrix, or a triangular one, is moved among its kind."""
        fills = [
            leaf.fill if leaf.fill in ("spd", "lower") else "normal"
            for leaf in (self.call.leaves[k] for k in self.where)
        ]
        return [self._direction(x, seed + k, fill) for k, (x, fill) in enumerate(zip(self.xs, fills))]

    def _direction(self, x, seed, fill="normal"):
        return self.tf.constant(Array(x.dtype.name, tuple(x.shape), fill, seed).numpy())

    def results(self, xs):
        ts = list(self.all)
        for k, x in zip(self.where, xs):
            ts[k] = x
        return [t for t in _tensors(self.call.run(self.tf, ts), self.tf) if t.dtype.name in DOUBLE.values()]

    def weighted(self, ys):
        """<w, y>, a real number."""
        total = 0.0
        for k, y in enumerate(ys):
            total += np.real(np.vdot(Array(y.dtype.name, tuple(y.shape), "normal", 900 + k).numpy(), y.numpy()))
        return float(total)

    def weights(self, ys):
        return [self._direction(y, 900 + k) for k, y in enumerate(ys)]

    def moved(self, step):
        return [x + self.tf.cast(step, x.dtype) * v for x, v in zip(self.xs, self.vs)]

    def gradients(self, xs):
        tf = self.tf
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = self.results(xs)
        found = tape.gradient(ys, xs, output_gradients=self.weights(ys), unconnected_gradients="zero")
        return [tf.convert_to_tensor(g) for g in found]

    def slope(self, xs, vs=None):
        """<v, J^T w> at xs."""
        return float(sum(np.real(np.vdot(v.numpy(), g.numpy())) for v, g in zip(vs or self.vs, self.gradients(xs))))


def difference(f):
    """f'(0) by central differences; None where they cannot tell. `f` takes the step."""
    middle = f(0.0)
    estimates, jumps = [], []
    for h in STEPS:
        above, below = f(h), f(-h)
        if not np.isfinite([middle, above, below]).all():
            return None
        estimates.append((above - below) / (2 * h))
        one_sided = (above - middle) / h - (middle - below) / h
        if abs(one_sided) > 1e-2 * (abs(estimates[-1]) + 1e-3 * abs(middle) + 1e-3):
            return None
        jumps.append(one_sided)
    if abs(estimates[0] - estimates[1]) > 1e-6 * (abs(estimates[0]) + abs(middle)) + 1e-8:
        return None
    tolerance = 1e-5 * (abs(estimates[0]) + abs(middle) * 1e-2 + 1e-3)
    if abs(2 * jumps[0] - jumps[1]) > tolerance:  # a small kink: the sides do not draw nearer with the step
        return None
    return estimates[0], tolerance


def reverse(tf, call):
    """(expected, got) of the first derivative, or None."""
    p = Projection(tf, call)
    if not p.results(p.xs):
        return None
    expected = difference(lambda h: p.weighted(p.results(p.moved(h))))
    return _compared(expected, lambda: p.slope(p.xs))


def second(tf, call):
    p = Projection(tf, call)
    if not p.results(p.xs):
        return None
    us = p.directions(700)

    def exact():
        with tf.GradientTape() as tape:
            tape.watch(p.xs)
            inner = p.gradients(p.xs)
        again = tape.gradient(inner, p.xs, output_gradients=us, unconnected_gradients="zero")
        return float(sum(np.real(np.vdot(v.numpy(), tf.convert_to_tensor(g).numpy())) for v, g in zip(p.vs, again)))

    return _compared(difference(lambda h: p.slope(p.moved(h), us)), exact)


def forward(tf, call):
    p = Projection(tf, call)
    if not p.results(p.xs):
        return None
    backward = outcome(lambda: p.slope(p.xs))
    if backward.error is not None or not np.isfinite(backward.arrays):
        return None

    def pushed():
        with tf.autodiff.ForwardAccumulator(p.xs, p.vs) as accumulator:
            ys = p.results(p.xs)
        return p.weighted([tf.convert_to_tensor(t) for t in accumulator.jvp(ys, unconnected_gradients="zero")])

    scale = abs(backward.arrays) + sum(float(np.abs(x.numpy()).sum()) for x in p.xs)
    return _compared((backward.arrays, 1e-9 * scale), pushed)


def compiled(tf, call):
    """The gradients of the call as it is, special values and all: eagerly, and by a function."""
    expected = eager(tf, call)
    return expected and (expected, _gradients(tf, call, lambda f: tf.function(f, autograph=False)))


def eager(tf, call):
    """The gradients of the sum of the results by all plain inexact leaves, or None where there is none."""
    return _gradients(tf, call, lambda f: f)


def _gradients(tf, call, wrap):
    xs = [k for k, leaf in enumerate(call.leaves) if type(leaf) is Array and leaf.dtype in INEXACT]
    if not xs:
        return None

    def gradients(*ts):
        with tf.GradientTape() as tape:
            tape.watch([ts[k] for k in xs])
            ys = [y for y in _tensors(call.run(tf, ts), tf) if y.dtype.is_floating or y.dtype.is_complex]
        found = tape.gradient(ys, [ts[k] for k in xs], unconnected_gradients="zero")
        return [tf.convert_to_tensor(g) for g in found]

    return outcome(lambda: [g.numpy() for g in wrap(gradients)(*call.tensors(tf))])


def _compared(expected, compute):
    if expected is None:
        return None
    value, tolerance = expected
    got = outcome(compute)
    if got.error is None and abs(got.arrays - value) <= tolerance:
        got = Outcome(value)
    wrap = lambda o: Outcome([np.float64(o.arrays)]) if o.error is None else o
    return Outcome([np.float64(value)]), wrap(got)


def _tensors(result, tf):
    if isinstance(result, dict):
        return [t for key in sorted(result) for t in _tensors(result[key], tf)]
    if isinstance(result, tf.RaggedTensor):
        return _tensors(result.flat_values, tf)
    if isinstance(result, tf.sparse.SparseTensor):
        return [result.values]
    if isinstance(result, (list, tuple)):
        return [t for part in result for t in _tensors(part, tf)]
    return [result] if tf.is_tensor(result) else []
