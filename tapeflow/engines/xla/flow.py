"""Conditionals and loops in a function that XLA compiles: `lax.switch` and `lax.while_loop` on graphs given as
functions of JAX arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tapeflow.core.errors import invalid


def choice(index: Any, branches: list[Callable], arrays: Sequence, differ: bool) -> tuple:
    """An index beyond the last branch means the last. `differ`: in the sizes of what they give. Then it gets the
    largest."""
    last = len(branches) - 1
    index = jnp.asarray(index).astype(jnp.int32)
    inside = jnp.where((index < 0) | (index > last), last, index)
    if differ:
        given = [jax.eval_shape(b, *arrays) for b in branches]
        shapes = [[max(sizes) for sizes in zip(*[y.shape for y in ys])] for ys in zip(*given)]
        branches = [_padded(b, shapes) for b in branches]
    return lax.switch(inside, [_typed(b) for b in branches], *arrays)


def loop(
    step: Callable,
    going: list[Callable],
    most: Any,
    state: Sequence,
    rows: Sequence,
    operands: Sequence,
    emitted: list,
    limit: int | None,
    backwards: bool,
) -> tuple:
    """`limit`: the most iterations there can be. What is emitted is stacked, and an array has a size that is known
    before."""
    length = rows[0].shape[0] if rows else limit
    if emitted and length is None:
        raise invalid(
            "XLA needs a known maximum trip count to stack what the iterations of a loop give, a history for the "
            "gradient for example: say maximum_iterations=..., loop over a tf.range of known size, or leave "
            "jit_compile=True out"
        )
    most = jnp.asarray(most, jnp.int32)
    if any(None in spec.shape for spec in emitted):  # the history of a loop inside
        emitted = jax.eval_shape(step, *state, *[row[0] for row in rows], *operands)[len(state) :]
    buffers = tuple(jnp.zeros((length, *spec.shape), spec.dtype) for spec in emitted)

    def goes_on(carried: tuple) -> Any:
        k, state, _ = carried
        bounded = (k < most) | (most < 0)
        return bounded & going[0](*state, *operands)[0] if going else bounded

    def one(carried: tuple) -> tuple:
        k, state, buffers = carried
        at = most - 1 - k if backwards else k
        out = step(*state, *[lax.dynamic_index_in_dim(row, at, keepdims=False) for row in rows], *operands)
        after = tuple(_like(new, old) for new, old in zip(out, state))
        stacked = tuple(
            lax.dynamic_update_index_in_dim(b, jnp.asarray(y, b.dtype), at, 0)
            for b, y in zip(buffers, out[len(state) :])
        )
        return k + 1, after, stacked

    first = tuple(_like(x, jnp.asarray(x)) for x in state)
    k, state, buffers = lax.while_loop(goes_on, one, (jnp.int32(0), first, buffers))
    return (*state, k, *buffers)


def _like(new: Any, old: Any) -> Any:
    """Of exactly one type: a Python number's array is not as strict about its own as XLA wants it."""
    return lax.convert_element_type(new, old.dtype)


def _padded(branch: Callable, shapes: list[list[int]]) -> Callable:
    def run(*arrays: Any) -> tuple:
        pad = lambda y, shape: jnp.pad(y, [(0, a - b) for a, b in zip(shape, y.shape)]) if shape else y
        return tuple(pad(jnp.asarray(y), shape) for y, shape in zip(branch(*arrays), shapes))

    return run


def _typed(branch: Callable) -> Callable:
    def run(*arrays: Any) -> tuple:
        return tuple(lax.convert_element_type(y, jnp.asarray(y).dtype) for y in branch(*arrays))

    return run
