"""Functions over the first axis: `map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`. Results are stacked, and gradients go through."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core import nest as _nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import OutOfRangeError, ValueNeeded, dtype_clash
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.transforms.vmap import Batch

from . import nest
from .ragged import stack as _ragged_stack
from .ragged_tensor import RaggedTensor

__all__ = ["foldl", "foldr", "map_fn", "scan", "vectorized_map"]


def _slices(elems: Any) -> list:
    """The structure of each row, for tensors (or a structure of them) with a common first axis."""
    tensors = [as_tensor(leaf) for leaf in nest.flatten(elems)]
    if not tensors:
        raise ValueError("elems must contain at least one tensor.")
    for tensor in tensors:
        if not tensor.ndim:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    counts = {t.shape[0] for t in tensors}
    if len(counts) > 1:
        raise ValueError(f"All tensors in elems must have the same size along their first axis, got {sorted(counts)}.")
    rows = [list(t) if isinstance(t, RaggedTensor) else ops.unstack(t, axis=0) for t in tensors]
    return [nest.pack_sequence_as(elems, list(row)) for row in zip(*rows)]


def _stacked(results: list) -> Any:
    columns = zip(*[nest.flatten(r) for r in results])
    return nest.pack_sequence_as(results[0], [ops.stack(*column, axis=0) for column in columns])


def map_fn(
    fn: Callable,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of every slice of `elems` along the first axis, the results stacked.

    `elems` may be a structure of tensors: `fn` then gets that structure. When the result has another structure or dtype than
    `elems`, say so with `fn_output_signature` (dtypes or specs); a ragged spec gives a ragged result.

    >>> tf.map_fn(lambda row: tf.reduce_max(row), tf.constant([[1., 5.], [7., 3.]])).numpy()
    array([5., 7.], dtype=float32)
    >>> x = (tf.constant([1, 2]), tf.constant([10, 20]))
    >>> tf.map_fn(lambda pair: pair[0] + pair[1], x, fn_output_signature=tf.int32).numpy()
    array([11, 22], dtype=int32)
    """
    signature = fn_output_signature if fn_output_signature is not None else dtype
    like = elems if signature is None else signature
    results = [fn(row) for row in _slices(elems)]
    if not results:
        return nest.map_structure(_nothing, like)
    for result in results:
        nest.assert_same_structure(like, result)
    wanted = nest.flatten(like)
    columns = [list(column) for column in zip(*[nest.flatten(r) for r in results])]
    return nest.pack_sequence_as(like, [_column(c, w, signature is None) for c, w in zip(columns, wanted)])


def _column(values: list, wanted: Any, inferred: bool) -> Any:
    """One component of all results, stacked and checked."""
    dtype = _dtype_of(wanted)
    tensors = [v if isinstance(v, (Tensor, RaggedTensor)) else as_tensor(v) for v in values]
    for t in tensors:
        if t.dtype is not dtype:
            raise dtype_clash(
                f"map_fn expects {dtype.name} from its function, which gave {t.dtype.name}. "
                + ("Without a signature results have the dtype of `elems`; " if inferred else "")
                + f"say fn_output_signature=tf.{t.dtype.name}."
            )
    if hasattr(wanted, "ragged_rank") or any(isinstance(t, RaggedTensor) for t in tensors):
        return _ragged_stack(tensors)
    shapes = {tuple(t.shape) for t in tensors}
    if len(shapes) > 1:
        raise ValueError(
            f"Incompatible shapes of the results of map_fn: {sorted(shapes)}. They must be equal to be stacked; see tf.RaggedTensorSpec."
        )
    return ops.stack(*tensors, axis=0)


def _dtype_of(wanted: Any) -> DType:
    return as_dtype(getattr(wanted, "dtype", wanted))


def _nothing(leaf: Any) -> Tensor:
    return EagerTensor(np.zeros((0,), _dtype_of(leaf).np))


def _accumulated(fn: Callable, elems: Any, initializer: Any, reverse: bool, what: str) -> list:
    """The accumulator after every step, in order of the steps, beginning with the first."""
    rows = _slices(elems)
    if reverse:
        rows.reverse()
    if initializer is None:
        if not rows:
            raise OutOfRangeError(None, None, f"{what} of nothing needs an initializer: elems has size 0 along its first axis.")
        state, rows = rows[0], rows[1:]
        states = [state]
    else:
        state = nest.map_structure(as_tensor, initializer)
        states = []
    for row in rows:
        after = fn(state, row)
        nest.assert_same_structure(state, after)
        state = nest.map_structure(as_tensor, after)
        states.append(state)
    return states


def vectorized_map(fn: Callable, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` of every slice of `elems` along the first axis, like `map_fn`, but computed for all of them at once.

    Random numbers differ from slice to slice. Operations without a batching rule, and functions that need the value of a tensor
    (`if x > 0:`), are computed slice by slice; `fallback_to_while_loop=False` makes them an error. `tf.vmap` maps over other axes.

    >>> def per_example(x):
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x ** 3)
    ...     return tape.gradient(y, x)
    >>> tf.vectorized_map(per_example, tf.constant([[1., 2.], [3., 4.]])).numpy().tolist()
    [[3.0, 12.0], [27.0, 48.0]]
    """
    leaves = len(nest.flatten(elems))
    place = lambda structure, k: f"elems{_nest.paths(elems)[k]}" if _nest.is_nested(elems) else "elems"
    advice = "The function is called with slices of elems along the first axis; what is the same for all it can just use."
    batch = Batch(elems, [0] * leaves, place, advice, ones_repeat=True)
    try:
        return batch.run(fn, randomness="different", loops=fallback_to_while_loop, warn=warn)
    except ValueNeeded as error:
        if not fallback_to_while_loop or not batch.size:
            raise
        if warn:
            logging.getLogger("tapeflow").warning(
                "vectorized_map calls %s row by row: %s", getattr(fn, "__qualname__", fn), error
            )
        return batch.one_by_one(fn)


def scan(
    fn: Callable,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """The states `fn(state, row)` goes through over the rows of `elems`, stacked; it begins with `initializer`, or the first row.

    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3, 4])).numpy()
    array([ 1,  3,  6, 10], dtype=int32)
    >>> a, b = tf.scan(lambda s, _: (s[1], s[0] + s[1]), tf.zeros(6), initializer=(0, 1))
    >>> a.numpy()                                       # Fibonacci
    array([1, 1, 2, 3, 5, 8], dtype=int32)
    """
    states = _accumulated(fn, elems, initializer, reverse, "scan")
    if not states:
        return nest.map_structure(lambda leaf: _nothing(as_tensor(leaf)), initializer)
    return _stacked(states[::-1] if reverse else states)


def foldl(
    fn: Callable,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last state of `fn(state, row)` over the rows of `elems`, from the first to the last.

    >>> tf.foldl(lambda state, digit: state * 10 + digit, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """
    return _last(_accumulated(fn, elems, initializer, False, "foldl"), initializer)


def foldr(
    fn: Callable,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last state of `fn(state, row)` over the rows of `elems`, from the last to the first.

    >>> tf.foldr(lambda state, digit: state * 10 + digit, tf.constant([1, 2, 3])).numpy()
    np.int32(321)
    """
    return _last(_accumulated(fn, elems, initializer, True, "foldr"), initializer)


def _last(states: list, initializer: Any) -> Any:
    return states[-1] if states else nest.map_structure(as_tensor, initializer)
