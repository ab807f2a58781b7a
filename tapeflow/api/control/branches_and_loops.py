"""Control flow as functions: branches and loops. Eagerly they are Python's own, and every operation in them is
recorded.

Inside a vectorised function a condition may differ from row to row. Then every branch that a row needs runs once, and
each row gets the results of its own (see `vectorize.branches`); a loop runs until the last row has finished, and
finished rows keep their values.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from tapeflow.api import nest
from tapeflow.api.assertions import values as debugging
from tapeflow.core.apply import as_tensor
from tapeflow.core.contracts import LoopVariable
from tapeflow.core.convert import convert_group
from tapeflow.core.dtypes import bool_, int32
from tapeflow.core.errors import dtype_clash, invalid
from tapeflow.core.nest import is_composite
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.function.control import conditions as graphs
from tapeflow.function.tracing.regions import inside_a_graph
from tapeflow.vectorize.branches import Branch
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of

__all__ = ["case", "cond", "control_dependencies", "group", "no_op", "switch_case", "tuple_", "while_loop"]

R = TypeVar("R")


# ---- branches


def cond(
    pred: Any,
    true_fn: Callable[[], R] | None = None,
    false_fn: Callable[[], R] | None = None,
    name: str | None = None,
) -> R:
    """`true_fn()` if `pred` is true, else `false_fn()`; only the chosen one is called.

    In a vectorised function rows may choose differently: then both are called, and their results must be alike.

    Args:
        pred: A bool, or a scalar tensor of one.
        true_fn: A function without arguments.
        false_fn: Another one; in a graph both return the same structure and dtypes.

    Returns:
        What the chosen function returns.

    Raises:
        TypeError: If a function is missing.

    >>> x = tf.constant(-3.)
    >>> tf.cond(x > 0, lambda: x, lambda: -x).numpy()
    np.float32(3.0)
    >>> tf.vectorized_map(lambda x: tf.cond(x > 0, lambda: tf.sqrt(x), lambda: -x), tf.constant([-3., 4.])).numpy()
    array([3., 2.], dtype=float32)
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): {argument!r} argument required: a function without arguments.")
        if not callable(function):
            raise TypeError(f"{argument!r} must be callable, got {function!r}. Wrap the value: lambda: value.")
    if graphs.has_no_value(pred):
        return graphs.cond(pred, true_fn, false_fn)
    if type(pred) is MappedTensor:
        pred = _truth(pred)
        return _by_row([(pred, true_fn), (ops.logical_not(pred), false_fn)])
    if isinstance(pred, (list, tuple)):  # whose truth would be that there is something in it
        raise ValueError(f"pred must be one bool, got {pred!r}.")
    return true_fn() if bool(pred) else false_fn()


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], R]]] | Mapping[Any, Callable[[], R]],
    default: Callable[[], R] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = "case",
) -> R:
    """The result of the first function whose predicate is true, of `default` if none is.

    With `exclusive` more than one true predicate raises InvalidArgumentError.

    Args:
        pred_fn_pairs: A list of pairs (predicate, function), or a dict.
        default: What is called if no predicate is true.
        exclusive: More than one true predicate is an error.
        strict: Taken and not used.

    Returns:
        What the chosen function returns.

    Raises:
        InvalidArgumentError: If no predicate is true and there is no `default`, or several are with `exclusive`.

    >>> x = tf.constant(5)
    >>> low, middle, high = (lambda word=word: tf.constant(word) for word in ("low", "middle", "high"))
    >>> tf.case([(x < 0, low), (x < 10, middle)], default=high).numpy()
    b'middle'
    """
    if isinstance(pred_fn_pairs, Mapping):
        pairs = [(key.deref() if hasattr(key, "deref") else key, function) for key, function in pred_fn_pairs.items()]
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError(
            f"'pred_fn_pairs' must be a list, tuple, or dict of (predicate, function). Received: {type(pred_fn_pairs)}"
        )
    if not pairs:
        raise ValueError("'pred_fn_pairs' is empty: give at least one (predicate, function).")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry of 'pred_fn_pairs' must be a tuple (predicate, function), got {pair!r}.")
        if not isinstance(pair[0], Tensor) or pair[0].dtype.kind != "b":
            raise TypeError(f"A predicate must be a bool Tensor, got: {pair[0]!r}.")
        if not callable(pair[1]):
            raise TypeError(f"The second entry of each pair must be callable, got {pair[1]!r}.")
    if default is not None and not callable(default):
        raise TypeError(f"'default' must be callable, got {default!r}.")
    if any(graphs.has_no_value(pred) for pred, _ in pairs):
        return _case_of_a_graph(pairs, default, exclusive)
    if any(type(pred) is MappedTensor for pred, _ in pairs):
        return _case_by_row(pairs, default, exclusive)
    true = [k for k, (pred, _) in enumerate(pairs) if bool(pred)]
    if exclusive and len(true) > 1:
        raise invalid(
            f"More than one condition evaluated as True but exclusive=True. The predicates number {true} are true."
        )
    if true:
        return pairs[true[0]][1]()
    return _or_else(pairs, default)()


def _case_of_a_graph(pairs: list, default: Callable | None, exclusive: bool) -> Any:
    if exclusive:
        some = ops.stack(*[pred for pred, _ in pairs], axis=0)
        debugging.assert_less(
            ops.reduce_sum(ops.cast(some, dtype=int32.np), axis=(0,), keepdims=False), 2,
            "More than one condition evaluated as True but exclusive=True.",
        )  # fmt: skip
    otherwise = default
    if default is None:  # the last one has to do
        debugging.assert_equal(
            functools.reduce(ops.logical_or, [pred for pred, _ in pairs]), True,
            f"None of the {len(pairs)} conditions evaluated as True, and there is no default.",
        )  # fmt: skip
        *pairs, (_, otherwise) = pairs
    for pred, function in reversed(pairs):
        otherwise = functools.partial(cond, pred, function, otherwise)
    return otherwise()


def _or_else(pairs: list, default: Callable | None) -> Callable:
    if default is None:
        raise invalid(f"None of the {len(pairs)} conditions evaluated as True, and there is no default.")
    return default


def _case_by_row(pairs: list, default: Callable | None, exclusive: bool) -> Any:
    preds = [_truth(pred) for pred, _ in pairs]
    if exclusive and (values_of(sum(ops.cast(p, dtype=int32.np) for p in preds)) > 1).any():
        raise invalid("More than one condition evaluated as True for the same row, but exclusive=True.")
    choices, left = [], True
    for pred, (_, function) in zip(preds, pairs):
        choices.append((ops.logical_and(left, pred), function))
        left = ops.logical_and(left, ops.logical_not(pred))
    if values_of(left).any():
        choices.append((left, _or_else(pairs, default)))
    return _by_row(choices)


def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Callable[[], R] | tuple[int, Callable[[], R]]] | Mapping[int, Callable[[], R]],
    default: Callable[[], R] | None = None,
    name: str | None = "switch_case",
) -> R:
    """The result of the function number `branch_index`: a list counts from 0, a dict or pairs say their numbers.

    Any other number calls `default`, or without one the function of the highest number.

    Args:
        branch_index: An integer.
        branch_fns: A list of functions without arguments, a dict, or pairs (number, function).
        default: What any other number calls; None: the function of the highest number.

    Returns:
        What the chosen function returns.

    >>> tf.switch_case(tf.constant(1), [lambda: tf.constant("left"), lambda: tf.constant("right")]).numpy()
    b'right'
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(
            f"'branch_index' must be a Tensor, got {type(branch_index)}. Use tf.constant({branch_index!r})."
        )
    if branch_index.ndim:
        raise invalid(f"'branch_index' must be a scalar, got shape {tuple(branch_index.shape)}.")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    if not isinstance(branch_fns, (list, tuple, Mapping)) or not branch_fns:
        raise TypeError(f"'branch_fns' must be a non-empty list, tuple or dict of functions. Received: {branch_fns!r}")
    if isinstance(branch_fns, Mapping):
        branches = dict(branch_fns)
    elif all(isinstance(entry, tuple) for entry in branch_fns):
        branches = dict(branch_fns)
        if len(branches) < len(branch_fns):
            raise ValueError(f"Two branches have the same number: {[entry[0] for entry in branch_fns]}.")
    else:
        branches = dict(enumerate(branch_fns))
    for number, function in branches.items():
        if not isinstance(number, int) or not callable(function):
            raise TypeError(f"A branch is a function with an integer number, got {number!r}: {function!r}.")
    if sorted(branches) != list(range(len(branches))):
        found = ",".join(map(str, sorted(branches)))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(branches)}) but found {{{found}}}. Use "
            "tf.case, or number the branches from 0."
        )
    other = default if default is not None else branches[max(branches)]
    if graphs.has_no_value(branch_index):
        return _switch_of_a_graph(branch_index, branches, other)
    if type(branch_index) is MappedTensor:
        chosen = [(ops.equal(branch_index, number), function) for number, function in branches.items()]
        known = functools.reduce(ops.logical_or, [pred for pred, _ in chosen])
        return _by_row([*chosen, (ops.logical_not(known), other)])
    return branches.get(int(branch_index), other)()


def _switch_of_a_graph(index: Tensor, branches: dict[int, Callable], other: Callable) -> Any:
    numbers, place = sorted(branches), ops.cast(index, dtype=int32.np)
    functions = {f"branch {n}": branches[n] for n in numbers}
    return graphs.choose(
        place, functions if other is branches[numbers[-1]] else functions | {"default": other}, "switch_case"
    )


# ---- branches that differ from row to row


def _truth(pred: Any) -> Tensor:
    """A condition with one value for each row."""
    pred = as_tensor(pred)
    if pred.sizes.num_elements() != 1:
        raise ValueError(
            f"A condition is a single value, got shape {tuple(pred.shape)}. Use tf.reduce_any(x) or tf.reduce_all(x)."
        )
    pred = pred if pred.dtype is bool_ else ops.cast(pred, dtype=bool_.np)
    return ops.reshape(pred, shape=())


def _by_row(choices: list[tuple[Tensor, Callable]]) -> Any:
    """For each row the result of the function whose condition holds; for every row exactly one does."""
    taken = [(chosen, function) for chosen, function in choices if values_of(chosen).any()] or choices[:1]
    if len(taken) == 1:
        return taken[0][1]()
    out = None
    for k, (chosen, function) in enumerate(taken):
        result = Branch(chosen).run(function)
        out = _merged(chosen, result, out, "The branches") if k else result
    return out


def _merged(chosen: Tensor, new: Any, old: Any, what: str) -> Any:
    """`new` in the rows where `chosen` holds, `old` in the others."""
    try:
        nest.assert_same_structure(old, new, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{what} must have the same number, type, and overall structure of return values. {error}"
        ) from error
    pairs = zip(nest.flatten(new, True), nest.flatten(old, True))
    return nest.pack_sequence_as(new, [_merged_leaf(chosen, a, b, what) for a, b in pairs], True)


def _merged_leaf(chosen: Tensor, new: Any, old: Any, what: str) -> Any:
    if new is None and old is None:
        return None
    if isinstance(new, LoopVariable):
        return new.__merged__(chosen, old)
    try:
        new, old = convert_group([new, old])
    except (TypeError, ValueError) as error:
        raise dtype_clash(f"{what} must have the same dtypes. {error}") from error
    if new.dtype is not old.dtype:
        raise dtype_clash(f"{what} must have the same dtypes, got {old.dtype.name} and {new.dtype.name}.")
    if tuple(new.sizes) != tuple(old.sizes):
        raise ValueError(
            f"{what} must have the same shapes where they differ from row to row, got {tuple(old.shape)} and "
            f"{tuple(new.shape)}."
        )
    return ops.where(chosen, new, old)


# ---- loops


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`loop_vars` after `body` was applied to them as long as `cond` holds (and `maximum_iterations` allow).

    Both get the loop variables as arguments; `body` returns them anew, in the same structure. Gradients go through the
    loop. In a vectorised function each row has its own number of iterations.

    Args:
        cond: A function of the loop variables that gives a bool.
        body: A function of the loop variables that gives the next ones.
        loop_vars: The first loop variables, a list or another structure.
        shape_invariants: Shapes that hold in all iterations, where a size changes.
        maximum_iterations: How often at most; None: no limit.

    Returns:
        The last loop variables, in the structure of `loop_vars`.

    >>> i, total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0)))
    >>> total.numpy()
    np.int32(6)
    """
    for argument, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise TypeError(f"{argument!r} must be callable, got {function!r}.")
    if not isinstance(loop_vars, (list, tuple)) or not loop_vars:
        raise ValueError(f"'loop_vars' must be provided as a non-empty list or tuple, got {loop_vars!r}.")
    if not back_prop:
        free = while_loop(cond, body, loop_vars, shape_invariants, maximum_iterations=maximum_iterations)
        return nest.map_structure(lambda leaf: ops.stop_gradient(leaf) if isinstance(leaf, Tensor) else leaf, free)
    if inside_a_graph():
        return graphs.while_loop(cond, body, loop_vars, shape_invariants, maximum_iterations)
    left = None if maximum_iterations is None else int(maximum_iterations)
    as_value = lambda leaf: leaf if is_composite(leaf) or isinstance(leaf, LoopVariable) else as_tensor(leaf)
    loop_vars = nest.map_structure(as_value, loop_vars)
    going = None  # the rows that have not finished, once they differ
    while left is None or left > 0:
        holds = cond(*loop_vars)
        if going is None and type(holds) is not MappedTensor:
            if not bool(holds):
                break
            loop_vars = _iterated(body, loop_vars, as_value)
        else:
            going = _truth(holds) if going is None else ops.logical_and(going, _truth(holds))
            rows = values_of(going)
            if not rows.any():
                break
            loop_vars = _iterated(body, loop_vars, as_value, None if rows.all() else going)
        left = None if left is None else left - 1
    return loop_vars


def _iterated(body: Callable, loop_vars: Any, as_value: Callable, going: Tensor | None = None) -> Any:
    """The loop variables after one more iteration, of the rows that are `going` if not of all."""
    if going is None:
        given = body(*loop_vars)
    else:
        own = nest.map_structure(lambda leaf: leaf.__copied__() if isinstance(leaf, LoopVariable) else leaf, loop_vars)
        given = Branch(going).run(lambda: body(*own))
    given = given if isinstance(given, (list, tuple)) else [given]
    nest.assert_same_structure(list(loop_vars), list(given), expand_composites=True)
    given = nest.map_structure(as_value, given)
    for before, after in zip(nest.flatten(loop_vars, True), nest.flatten(given, True)):
        if before.dtype is not after.dtype:
            raise TypeError(
                f"A loop variable was {before.dtype.name} before the loop, but {after.dtype.name} after one iteration."
            )
    if going is None:
        return given
    return _merged(
        going, given, type(given)(loop_vars) if type(given) in (list, tuple) else loop_vars, "Loop variables"
    )


# ---- order, which eager execution keeps by itself


@contextmanager
def control_dependencies(control_inputs: Any):
    """A context that computes after `control_inputs`; eagerly everything is computed in the order it is written.

    Args:
        control_inputs: Tensors, operations or functions.

    Returns:
        A context manager.

    >>> v = tf.Variable(1.)
    >>> with tf.control_dependencies([v.assign_add(1.)]):
    ...     y = v * 10.
    >>> y.numpy()
    np.float32(20.0)
    """
    if callable(control_inputs):
        control_inputs()
    yield


def no_op(name: str | None = None) -> None:
    """Nothing.

    >>> tf.no_op()
    """


def group(*inputs: Any, **kwargs: Any) -> None:
    """Nothing: what was to be grouped has been computed when it is passed.

    Args:
        **kwargs: `name`, which does nothing.

    >>> v = tf.Variable(1.)
    >>> tf.group(v.assign(2.), v.assign_add(3.))
    >>> v.numpy()
    np.float32(5.0)
    """
    unknown = set(kwargs) - {"name"}
    if unknown:
        raise ValueError(f"Unknown keyword arguments: {sorted(unknown)}. Only `name` is taken.")


def tuple_(tensors: Sequence[Any], control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The tensors as a list (None stays None), all of them computed.

    Args:
        control_inputs: Taken and not used.

    Returns:
        The tensors, in a list.

    >>> [t.numpy().item() for t in tf.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]
    """
    return [None if t is None else t if is_composite(t) else as_tensor(t) for t in tensors]


tuple_.__name__ = tuple_.__qualname__ = "tuple"
