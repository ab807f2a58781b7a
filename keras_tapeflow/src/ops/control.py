"""Branches, loops and functions that take functions. Keras' rules are those of `jax.lax`: state in, state and results
out."""

import inspect
from collections.abc import Callable
from typing import Any

from keras.src import tree

import tapeflow as tf
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.function.control.conditions import has_no_value, over_rows
from tapeflow.function.tracing.regions import inside_a_graph


def _tensor(x: Any) -> Tensor:
    from .core import dense_tensor as convert_to_tensor  # which is made of this module's functions, too

    return convert_to_tensor(x)


def cond(pred, true_fn, false_fn):
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    pred = _tensor(pred)
    if pred.dtype is not tf.bool:
        pred = tf.cast(pred, tf.bool)
    return tf.cond(tf.reshape(pred, []) if pred.ndim else pred, true_fn, false_fn)


def switch(index, branches, *operands):
    index = tf.clip_by_value(tf.cast(_tensor(index), tf.int32), 0, len(branches) - 1)
    if not has_no_value(index):
        return branches[int(index)](*operands)
    return tf.switch_case(index, [lambda b=branch: b(*operands) for branch in branches])


def while_loop(cond, body, loop_vars, maximum_iterations=None):
    several = isinstance(loop_vars, (list, tuple))
    first = tuple(loop_vars) if several else (loop_vars,)
    first = tree.map_structure(_tensor, first)

    def step(*state):
        out = body(*state)
        return tuple(out) if isinstance(out, (list, tuple)) else (out,)

    out = tf.while_loop(cond, step, first, maximum_iterations=maximum_iterations)
    return tuple(out) if several else out[0]


def fori_loop(lower, upper, body_fun, init_val):
    state = tree.map_structure(_tensor, init_val)
    if not any(has_no_value(_tensor(bound)) for bound in (lower, upper)) and not inside_a_graph():
        for i in range(int(lower), int(upper)):  # a number takes the dtype of what it meets, as on TensorFlow
            state = body_fun(i if isinstance(lower, int) else tf.constant(i, _tensor(lower).dtype), state)
        return state
    one = lambda i, state: (i + 1, body_fun(i, state))
    return tf.while_loop(lambda i, _: i < upper, one, (tf.cast(_tensor(lower), tf.int32), state))[1]


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """(The last state; the results stacked) of `f(state, row) -> (state, result)`."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and not (isinstance(unroll, int) and unroll >= 1):
        raise ValueError(f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}")
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    state = tree.map_structure(_tensor, init)
    rows = [] if xs is None else [_tensor(x) for x in tree.flatten(xs)]
    count = int(length) if length is not None else rows[0].sizes[0]
    row_of = lambda parts: (
        None if xs is None else tree.pack_sequence_as(xs, list(parts)) if tree.is_nested(xs) else parts[0]
    )
    if inside_a_graph() and rows and count:
        return _scanned_by_a_loop(f, state, rows, row_of, reverse)
    results = []
    for i in reversed(range(count)) if reverse else range(count):
        state, result = f(state, row_of([row[i] for row in rows]))
        results.append(result)
    if reverse:
        results.reverse()
    return state, _stacked(results, state)


def _stacked(results: list, state: Any) -> Any:
    if not results or results[0] is None:
        return tree.map_structure(lambda s: tf.zeros([len(results), *s.sizes], s.dtype), state)
    return tree.map_structure(lambda *leaves: tf.stack([_tensor(leaf) for leaf in leaves]), *results)


def _scanned_by_a_loop(f: Callable, state: Any, rows: list, row_of: Callable, reverse: bool) -> tuple:
    shape_of_results: list = []

    def step(state, row):
        state, result = f(state, row_of(row))
        shape_of_results[:] = [result]
        return tree.map_structure(_tensor, state), [_tensor(leaf) for leaf in tree.flatten(result) if leaf is not None]

    last, stacked = over_rows(step, state, rows, reverse, "scan")
    [result] = shape_of_results
    if result is None:
        return last, _stacked([None] * sizes_of(rows[0])[0], last)
    return last, tree.pack_sequence_as(result, stacked) if tree.is_nested(result) else stacked[0]


def map(f, xs):
    return scan(lambda _, x: ((), f(x)), (), xs)[1]


def vectorized_map(function, elements):
    return tf.vectorized_map(function, tree.map_structure(_tensor, elements))


def associative_scan(f, elems, reverse=False, axis=0):
    """All running combinations, by combining neighbours first: a logarithmic number of steps."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    leaves = [_tensor(x) for x in tree.flatten(elems)]
    axis = axis % leaves[0].ndim
    sizes = {leaf.sizes[axis] for leaf in leaves}
    if len(sizes) > 1:
        raise ValueError(
            "Array inputs to associative_scan must have the same first dimension. "
            f"(saw: {[tuple(leaf.shape) for leaf in leaves]})"
        )
    part = lambda x, start, stop=None, step=1: x[(slice(None),) * axis + (slice(start, stop, step),)]

    def combined(a, b):
        return [_tensor(x) for x in tree.flatten(f(tree.pack_sequence_as(elems, a), tree.pack_sequence_as(elems, b)))]

    def scanned(xs):
        count = xs[0].sizes[axis]
        if count < 2:
            return xs
        pairs = combined([part(x, 0, count - 1, 2) for x in xs], [part(x, 1, None, 2) for x in xs])
        odd = scanned(pairs)
        left = odd if count % 2 else [part(x, 0, -1) for x in odd]
        even = combined(left, [part(x, 2, None, 2) for x in xs]) if count > 2 else [part(x, 0, 0) for x in xs]
        even = [tf.concat([part(x, 0, 1), y], axis) for x, y in zip(xs, even)]
        return [_interleaved(a, b, axis, count) for a, b in zip(even, odd)]

    turned = lambda xs: [tf.reverse(x, [axis]) for x in xs] if reverse else xs
    return tree.pack_sequence_as(elems, turned(scanned(turned(leaves))))


def _interleaved(a: Tensor, b: Tensor, axis: int, count: int) -> Tensor:
    """a0, b0, a1, b1, …; of an odd number the last is an `a`."""
    both = b.sizes[axis]
    head = a[(slice(None),) * axis + (slice(0, both),)]
    mixed = tf.reshape(tf.stack([head, b], axis + 1), [*a.sizes[:axis], 2 * both, *a.sizes[axis + 1 :]])
    if count % 2 == 0:
        return mixed
    return tf.concat([mixed, a[(slice(None),) * axis + (slice(both, None),)]], axis)


# ---- gradients


def custom_gradient(f):
    """`f` returns its result and a function of the upstream gradient."""

    def with_rule(*args, **kwargs):
        out, rule = f(*args, **kwargs)
        named = "upstream" in inspect.signature(rule).parameters

        def backward(*gs, variables=None):
            found = rule(*args, upstream=gs[0]) if named and len(gs) == 1 else rule(*gs)
            return found if variables is None else (found, [None] * len(variables))

        return out, backward

    return lambda *args, **kwargs: tf.custom_gradient(with_rule)(*args, **kwargs)


def remat(f):
    return tf.recompute_grad(f)
