"""Functions over the first axis: `map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`. Results are stacked, and
gradients go through."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tapeflow.api import nest
from tapeflow.api.arrays.building import zeros
from tapeflow.api.ragged import stack as _ragged_stack
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core import nest as _nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import CompositeTensor, spec_of
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import OutOfRangeError, ValueNeeded, dtype_clash
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.function.control.conditions import over_rows
from tapeflow.function.tracing.regions import inside_a_graph
from tapeflow.vectorize.vmap import Batch

from .batchables import by_rows, opened_signature

__all__ = ["foldl", "foldr", "map_fn", "scan", "vectorized_map"]

R = TypeVar("R")


def _slices(elems: Any) -> list:
    """The structure of each row, for tensors (or a structure of them) with a common first axis."""
    tensors = [_with_rows(leaf) for leaf in nest.flatten(elems)]
    if not tensors:
        raise ValueError("elems must contain at least one tensor.")
    for tensor in tensors:
        if isinstance(tensor, Tensor) and not tensor.ndim:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    counts = {spec_of(t).__row_count__(t) if isinstance(t, CompositeTensor) else sizes_of(t)[0] for t in tensors}
    if len(counts) > 1:
        raise ValueError(f"All tensors in elems must have the same size along their first axis, got {sorted(counts)}.")
    rows = [_rows_of_one(t) for t in tensors]
    return [nest.pack_sequence_as(elems, list(row)) for row in zip(*rows)]


def _with_rows(leaf: Any) -> Any:
    """A tensor, a ragged or a sparse one: what is cut into rows."""
    if not isinstance(leaf, CompositeTensor) or isinstance(leaf, IndexedSlices):
        return as_tensor(leaf)
    if spec_of(leaf).__has_rows__():
        return leaf
    raise TypeError(
        f"map_fn can not consume {spec_of(leaf)} inputs: got {leaf!r}. Derive the type from "
        "tf.experimental.BatchableExtensionType."
    )


def _rows_of_one(value: Any) -> list:
    if isinstance(value, CompositeTensor):
        spec = spec_of(value)
        return [spec.__row__(value, i) for i in range(spec.__row_count__(value))]
    return ops.unstack(value, axis=0)


def _stacked(results: list) -> Any:
    columns = zip(*[nest.flatten(r) for r in results])
    return nest.pack_sequence_as(results[0], [ops.stack(*column, axis=0) for column in columns])


def map_fn(
    fn: Callable[[Any], R],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> R:
    """`fn` of every slice of `elems` along the first axis, the results stacked.

    `elems` may be a structure of tensors: `fn` then gets that structure. When the result has another structure or
    dtype than `elems`, say so with `fn_output_signature` (dtypes or specs); a ragged spec gives a ragged result.

    Args:
        fn: A function of a row, or of a structure of rows.
        elems: A tensor, or a structure of them, with rows along the first axis.
        dtype: `fn_output_signature`, by its earlier name.
        infer_shape: Taken and not used.
        fn_output_signature: The dtypes or specs of what `fn` returns; None: the dtypes of `elems`.

    Returns:
        The results of all rows, in the structure that `fn` returns.

    >>> tf.map_fn(lambda row: tf.reduce_max(row), tf.constant([[1., 5.], [7., 3.]])).numpy()
    array([5., 7.], dtype=float32)
    >>> x = (tf.constant([1, 2]), tf.constant([10, 20]))
    >>> tf.map_fn(lambda pair: pair[0] + pair[1], x, fn_output_signature=tf.int32).numpy()
    array([11, 22], dtype=int32)
    """
    signature = fn_output_signature if fn_output_signature is not None else dtype
    fn, elems, finish = by_rows(fn, elems)
    like = elems if signature is None else opened_signature(signature)
    return finish(_mapped(fn, elems, like, signature is None))


def _mapped(fn: Callable, elems: Any, like: Any, inferred: bool) -> Any:
    if _is_a_loop(elems, or_nothing=True):
        return _mapped_in_a_graph(fn, elems, like, inferred)
    results = [fn(row) for row in _slices(elems)]
    if not results:
        return nest.map_structure(_nothing, like)
    for result in results:
        nest.assert_same_structure(like, result)
    wanted = nest.flatten(like)
    columns = [list(column) for column in zip(*[nest.flatten(r) for r in results])]
    return nest.pack_sequence_as(like, [_column(c, w, inferred) for c, w in zip(columns, wanted)])


def _is_a_loop(elems: Any, or_nothing: bool = False) -> bool:
    """Inside a graph, rows are gone through by a loop; ragged ones by Python, and none at all, unless their shape
    comes of the function."""
    return inside_a_graph() and all(
        not isinstance(leaf, CompositeTensor) and leaf.ndim and (or_nothing or leaf.sizes[0])
        for leaf in map(_with_rows, nest.flatten(elems))
    )


def _rows_of(elems: Any) -> tuple[list[Tensor], Callable]:
    """(The tensors; a function that packs one row of each as `elems` is packed)."""
    tensors = [as_tensor(leaf) for leaf in nest.flatten(elems)]
    counts = {t.sizes[0] for t in tensors}
    if len(counts) > 1:
        raise ValueError(f"All tensors in elems must have the same size along their first axis, got {sorted(counts)}.")
    return tensors, lambda row: nest.pack_sequence_as(elems, list(row))


def _mapped_in_a_graph(fn: Callable, elems: Any, like: Any, inferred: bool) -> Any:
    tensors, packed = _rows_of(elems)

    def step(_: tuple, row: list) -> tuple:
        result = fn(packed(row))
        nest.assert_same_structure(like, result)
        columns = [as_tensor(leaf) for leaf in nest.flatten(result)]
        for value, wanted in zip(columns, nest.flatten(like)):
            if hasattr(wanted, "ragged_rank") or isinstance(value, RaggedTensor):
                raise ValueNeeded("map_fn gives a ragged tensor, which a loop does not stack.")
            _check_dtype(value, _dtype_of(wanted), inferred)
        return (), columns

    return nest.pack_sequence_as(like, over_rows(step, (), tensors, False, "map_fn")[1])


def _check_dtype(value: Tensor, dtype: DType, inferred: bool) -> None:
    if value.dtype is not dtype:
        raise dtype_clash(
            f"map_fn expects {dtype.name} from its function, which gave {value.dtype.name}. "
            + ("Without a signature results have the dtype of `elems`; " if inferred else "")
            + f"say fn_output_signature=tf.{value.dtype.name}."
        )


def _column(values: list, wanted: Any, inferred: bool) -> Any:
    """One component of all results, stacked and checked."""
    dtype = _dtype_of(wanted)
    tensors = [v if isinstance(v, CompositeTensor) else as_tensor(v) for v in values]
    if isinstance(tensors[0], CompositeTensor) and not hasattr(tensors[0], "dtype"):
        return spec_of(tensors[0]).__stacked__(tensors)
    for t in tensors:
        _check_dtype(t, dtype, inferred)
    if hasattr(wanted, "ragged_rank") or any(isinstance(t, RaggedTensor) for t in tensors):
        return _ragged_stack(tensors)
    if isinstance(tensors[0], CompositeTensor):
        return spec_of(tensors[0]).__stacked__(tensors)
    shapes = {tuple(t.sizes) for t in tensors}
    if len(shapes) > 1:
        raise ValueError(
            f"Incompatible shapes of the results of map_fn: {sorted(shapes)}. They must be equal to be stacked; see "
            "tf.RaggedTensorSpec."
        )
    return ops.stack(*tensors, axis=0)


def _dtype_of(wanted: Any) -> DType:
    return as_dtype(getattr(wanted, "dtype", wanted))


def _nothing(leaf: Any) -> Tensor:
    return EagerTensor(np.zeros((0,), _dtype_of(leaf).np))


def _accumulated_in_a_graph(fn: Callable, elems: Any, initializer: Any, reverse: bool, what: str) -> tuple[Any, Any]:
    """(The last accumulator; all of them stacked, in the order of the rows)."""
    tensors, packed = _rows_of(elems)
    state = initializer
    if initializer is None:
        rest = slice(None, -1) if reverse else slice(1, None)
        state, tensors = packed([t[-1 if reverse else 0] for t in tensors]), [t[rest] for t in tensors]
    state = nest.map_structure(as_tensor, state)

    def step(state: Any, row: list) -> tuple:
        after = fn(state, packed(row))
        nest.assert_same_structure(state, after)
        after = nest.map_structure(as_tensor, after)
        return after, nest.flatten(after)

    if not tensors[0].sizes[0]:
        last, all_states = state, []
    else:
        last, all_states = over_rows(step, state, tensors, reverse, what)
    if initializer is None:
        firsts = [ops.stack(t, axis=0) for t in nest.flatten(state)]
        both = zip(all_states, firsts) if reverse else zip(firsts, all_states)
        all_states = [ops.concat(*pair, axis=0) for pair in both] if all_states else firsts
    return last, nest.pack_sequence_as(state, all_states)


def _accumulated(fn: Callable, elems: Any, initializer: Any, reverse: bool, what: str) -> list:
    """The accumulator after every step, in order of the steps, beginning with the first."""
    rows = _slices(elems)
    if reverse:
        rows.reverse()
    if initializer is None:
        if not rows:
            raise OutOfRangeError(
                None, None, f"{what} of nothing needs an initializer: elems has size 0 along its first axis."
            )
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


def vectorized_map(fn: Callable[[Any], R], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> R:
    """`fn` of every slice of `elems` along the first axis, like `map_fn`, but computed for all of them at once.

    Random numbers differ from slice to slice. Operations without a batching rule, and functions that need the value of
    a tensor (`if x > 0:`), are computed slice by slice; `fallback_to_while_loop=False` makes them an error. `tf.vmap`
    maps over other axes.

    Args:
        fn: A function of a row, or of a structure of rows.
        elems: A tensor, or a structure of them, with rows along the first axis.
        fallback_to_while_loop: Compute row by row what has no rule for all rows at once; otherwise that is an error.
        warn: Taken and not used.

    Returns:
        The results of all rows, in the structure that `fn` returns.

    >>> def per_example(x):
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x ** 3)
    ...     return tape.gradient(y, x)
    >>> tf.vectorized_map(per_example, tf.constant([[1., 2.], [3., 4.]])).numpy().tolist()
    [[3.0, 12.0], [27.0, 48.0]]
    """
    fn, elems, finish = by_rows(fn, elems)
    leaves = len(nest.flatten(elems))
    place = lambda structure, k: f"elems{_nest.paths(elems)[k]}" if _nest.is_nested(elems) else "elems"
    advice = (
        "The function is called with slices of elems along the first axis; what is the same for all it can just use."
    )
    batch = Batch(elems, [0] * leaves, place, advice, ones_repeat=True)
    try:
        return finish(batch.run(fn, randomness="different", loops=fallback_to_while_loop, warn=warn))
    except ValueNeeded as error:
        if not fallback_to_while_loop or not batch.size:
            raise
        if warn:
            logging.getLogger("tapeflow").warning(
                "vectorized_map calls %s row by row: %s", getattr(fn, "__qualname__", fn), error
            )
        return finish(batch.one_by_one(fn))


def scan(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> R:
    """The states `fn(state, row)` goes through over the rows of `elems`, stacked; it begins with `initializer`, or the
    first row.

    Args:
        fn: A function of a state and a row that gives the next state.
        elems: A tensor, or a structure of them, with rows along the first axis.
        initializer: The first state; None: the first row.
        infer_shape: Taken and not used.
        reverse: Begin with the last row.

    Returns:
        All states, in the structure of a state.

    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3, 4])).numpy()
    array([ 1,  3,  6, 10], dtype=int32)
    >>> a, b = tf.scan(lambda s, _: (s[1], s[0] + s[1]), tf.zeros(6), initializer=(0, 1))
    >>> a.numpy()                                       # Fibonacci
    array([1, 1, 2, 3, 5, 8], dtype=int32)
    """
    if _is_a_loop(elems):
        return _accumulated_in_a_graph(fn, elems, initializer, reverse, "scan")[1]
    states = _accumulated(fn, elems, initializer, reverse, "scan")
    if not states:
        return nest.map_structure(lambda leaf: zeros((0, *as_tensor(leaf).sizes), as_tensor(leaf).dtype), initializer)
    return _stacked(states[::-1] if reverse else states)


def foldl(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """The last state of `fn(state, row)` over the rows of `elems`, from the first to the last.

    Args:
        fn: A function of a state and a row that gives the next state.
        elems: A tensor, or a structure of them, with rows along the first axis.
        initializer: The first state; None: the first row.

    Returns:
        The last state.

    >>> tf.foldl(lambda state, digit: state * 10 + digit, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """
    if _is_a_loop(elems):
        return _accumulated_in_a_graph(fn, elems, initializer, False, "foldl")[0]
    return _last(_accumulated(fn, elems, initializer, False, "foldl"), initializer)


def foldr(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """The last state of `fn(state, row)` over the rows of `elems`, from the last to the first.

    Args:
        fn: A function of a state and a row that gives the next state.
        elems: A tensor, or a structure of them, with rows along the first axis.
        initializer: The first state; None: the first row.

    Returns:
        The last state.

    >>> tf.foldr(lambda state, digit: state * 10 + digit, tf.constant([1, 2, 3])).numpy()
    np.int32(321)
    """
    if _is_a_loop(elems):
        return _accumulated_in_a_graph(fn, elems, initializer, True, "foldr")[0]
    return _last(_accumulated(fn, elems, initializer, True, "foldr"), initializer)


def _last(states: list, initializer: Any) -> Any:
    return states[-1] if states else nest.map_structure(as_tensor, initializer)
