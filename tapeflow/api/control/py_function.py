"""Python code as an operation: `py_function` works on tensors and is differentiated, `numpy_function` works on arrays.

Inside a vectorised function they are called for each row, with tensors that have values.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import (
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
    ValueNeeded,
    user_line,
)
from tapeflow.core.frames import current, entered, has_an_effect
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.effects import later
from tapeflow.function.tracing.regions import enclosing_graph, inside_a_graph
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.transforms.custom_gradient import apply_custom
from tapeflow.vectorize.branches import Branch
from tapeflow.vectorize.mapped import MappedTensor, stacked

__all__ = ["numpy_function", "py_function"]

_KINDS = (
    ((TypeError, ValueError), InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    (Exception, UnknownError),
)


def _called(func: Callable, arguments: Iterable) -> Any:
    """What the user's function returns; what it raises becomes one of `tf.errors`, with the original as its cause."""
    try:
        return func(*arguments)
    except (OpError, ValueNeeded):
        raise
    except Exception as error:
        kind = next(kind for types, kind in _KINDS if isinstance(error, types))
        raise kind(None, None, f"{type(error).__name__}: {error}") from error


def _outputs(result: Any, Tout: Any, convert: Callable) -> tuple:
    """What the function returned as tensors, one for each dtype of `Tout`."""
    if not isinstance(Tout, (list, tuple)):
        return (convert(result, _dtype(Tout)),)
    given = [] if result is None and not Tout else list(result) if isinstance(result, (list, tuple)) else [result]
    if len(given) != len(Tout):
        raise InvalidArgumentError(
            None, None, f"The function returned {len(given)} values, but Tout lists {len(Tout)} dtypes."
        )
    return tuple(convert(value, _dtype(t)) for value, t in zip(given, Tout))


def _dtype(wanted: Any) -> DType:
    return as_dtype(getattr(wanted, "dtype", wanted))


def _applied(call: Callable, inp: Sequence, Tout: Any, name: str) -> Any:
    """`call`, from tensors to a tuple of tensors, of `inp`; a list if `Tout` is one."""
    several = isinstance(Tout, (list, tuple))
    call.__name__ = name
    if inside_a_graph():
        out = _at_every_run(call, [as_tensor(x) for x in inp], Tout if several else [Tout], name)
        return out if several else out[0]
    apply = _differentiated_rows if name == "py_function" else _rows
    out = apply(call, [as_tensor(x) for x in inp], [_dtype(t) for t in (Tout if several else [Tout])])
    return list(out) if several else out[0]


# ---- inside a graph


def _at_every_run(call: Callable, tensors: list[Tensor], Tout: Sequence, name: str) -> list[Tensor]:
    """A node that calls Python. What follows in the graph must know the shapes that it will give."""
    shapes = [getattr(wanted, "shape", None) for wanted in Tout]
    if enclosing_graph().compiles:
        text = f"XLA cannot compile tf.{name}, at {user_line()}: it calls Python. Leave jit_compile=True out."
        raise InvalidArgumentError(None, None, text)
    if any(shape is None or not shape.is_fully_defined() for shape in shapes):
        has_an_effect(
            f"tf.{name}, whose results have a shape that is not known (say it: Tout=tf.TensorSpec(shape, dtype)),"
        )
    specs = [Spec(shape=tuple(shape), dtype=_dtype(wanted).np) for shape, wanted in zip(shapes, Tout)]
    return later(call, tuple(tensors), {}, f"tf.{name}", specs, differentiable=name == "py_function")


# ---- inside a vectorised function


def _rows(call: Callable, tensors: Any, dtypes: list[DType], inner: Callable | None = None) -> tuple:
    """`call` of each row's tensors, and its results stacked; just `call` where no tensor differs from row to row."""
    inner = inner or _rows
    if not any(type(t) is MappedTensor for t in tensors):
        return call(*tensors)
    executor = current().executor
    if isinstance(executor, Branch):
        return executor.apply(lambda *seen: inner(call, seen, dtypes), tensors)
    batched = [executor.owns(t) for t in tensors]
    with entered(current().below):
        if not any(batched):
            return inner(call, tensors, dtypes)
        executor.must_loop(call.__name__)
        if executor.size:
            held = [t.held if b else t for t, b in zip(tensors, batched)]
            out = stacked(lambda *row: inner(call, row, dtypes), held, batched, executor.size)
        else:
            out = [EagerTensor(np.zeros(0, dtype.np)) for dtype in dtypes]
    return tuple(map(executor.mapped, out))


def _differentiated_rows(call: Callable, tensors: Any, dtypes: list[DType]) -> tuple:
    """The same for those who watch inside the vectorised function. They do not see the rows, which are computed below,
    so they are told of one operation, whose backward rule is once more a function of each row."""
    if not current().observers or not any(type(t) is MappedTensor for t in tensors):
        return _rows(call, tensors, dtypes, _differentiated_rows)
    variables: dict[Any, Any] = {}

    def watched(*row: Tensor) -> tuple:
        with GradientTape() as tape:
            out = call(*row)
        variables.update((v.serial, v) for v in tape.watched_variables())
        return out

    outs = _rows(watched, tensors, dtypes, _differentiated_rows)
    read = list(variables.values())
    sources = [t for t in tensors if t.dtype.is_inexact]

    def backward(*gs: Any) -> list:
        gs = [ops.zeros_like(y) if g is None else g for g, y in zip(gs, outs)]
        pull = _pullback(call, len(tensors), read)
        found = iter(_differentiated_rows(pull, [*tensors, *gs], [s.dtype for s in (*sources, *read)]))
        return [next(found) if t.dtype.is_inexact else None for t in (*tensors, *read)]

    return tuple(apply_custom(lambda *_: (list(outs), backward), (*tensors, *read), {}))


def _pullback(call: Callable, count: int, variables: list) -> Callable:
    """A function of the `count` inputs of `call` and the gradients of its outputs: the gradients of the inputs and
    variables."""

    def py_function(*given: Tensor) -> tuple[Any, ...]:
        sources = [x for x in given[:count] if x.dtype.is_inexact]
        with GradientTape() as tape:
            tape.watch(sources)
            outs = call(*given[:count])
        found = tape.gradient(list(outs), [*sources, *variables], list(given[count:]), unconnected_gradients="zero")
        return tuple(g.dense() if isinstance(g, IndexedSlices) else g for g in found)

    return py_function


def _with_dtypes(Tout: Any, name: str) -> None:
    if Tout is None:
        raise TypeError(
            "Missing required argument: 'Tout'. Give the dtypes of the results; above a function by name: "
            f"@tf.{name}(Tout=tf.float32)."
        )


def _decorator(function: Callable, inp: Any, Tout: Any, **options: Any) -> Callable:
    """`@tf.py_function(Tout=tf.float32)`: a function of its arguments."""
    if inp is not None:
        raise TypeError(f"tf.{function.__name__} has an `inp` and no function to call with it.")
    _with_dtypes(Tout, function.__name__)
    return lambda func: functools.wraps(func)(lambda *args: function(func, args, Tout, **options))


def _of_composites(func: Callable, inp: list, Tout: Any, name: str | None) -> Any:
    """`py_function` of ragged and sparse tensors and of users' types: of the tensors that they are made of."""
    several = isinstance(Tout, (list, tuple))
    wanted = list(Tout) if several else [Tout]

    def on_tensors(*tensors: Tensor) -> list:
        result = func(*nest.packed(inp, iter(tensors), composites=True))
        given = list(result) if several else [result]
        for value, spec in zip(given, wanted):
            if nest.is_composite(spec) and not isinstance(value, spec.value_type):
                raise TypeError(f"Tout says {spec}, and the function returned {value!r}.")
        return [leaf for value in given for leaf in nest.walked(value, composites=nest.is_composite(value))]

    tensors = nest.walked(inp, composites=True)
    out = py_function(on_tensors, tensors, nest.walked(wanted, composites=True), name)
    found = nest.packed(wanted, iter(out), composites=True)
    return found if several else found[0]


def py_function(
    func: Callable[..., Any] | None = None, inp: Sequence[Any] | None = None, Tout: Any = None, name: str | None = None
) -> Any:
    """`func(*inp)` on tensors, its results as tensors of the dtypes `Tout`. Operations in it are recorded like all
    others.

    Args:
        func: A Python function; None: a decorator with these options comes back.
        inp: Its arguments.
        Tout: The dtype or spec of the result, or a list of them, which may be empty.

    Returns:
        A tensor, or a list where `Tout` is one; without `func` a decorator.

    >>> x = tf.constant(3.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.py_function(lambda z: z * z if z > 0 else -z, [x], tf.float32)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """
    if func is None:
        return _decorator(py_function, inp, Tout, name=name)
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    _with_dtypes(Tout, "py_function")
    if any(map(nest.is_composite, nest.flatten([list(inp or ()), Tout]))):
        return _of_composites(func, list(inp or ()), Tout, name)

    def convert(value: Any, dtype: DType) -> Tensor:
        try:
            return to_tensor(value, dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(None, None, f"{type(error).__name__}: {error}") from error

    return _applied(lambda *row: _outputs(_called(func, row), Tout, convert), inp, Tout, "py_function")


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`func(*inp)` on NumPy arrays, its results as tensors. No gradient goes through it; `tf.custom_gradient` can give
    one.

    Args:
        func: A Python function; None: a decorator with these options comes back.
        inp: Its arguments.
        Tout: The dtype or spec of the result, or a list of them, which may be empty.
        stateful: Taken and not used.

    Returns:
        A tensor, or a list where `Tout` is one; without `func` a decorator.

    >>> tf.numpy_function(np.cumsum, [tf.constant([1., 2., 3.])], tf.float32).numpy()
    array([1., 3., 6.], dtype=float32)
    """
    if func is None:
        return _decorator(numpy_function, inp, Tout, stateful=stateful, name=name)
    if not callable(func):
        raise TypeError(
            f"{type(func).__name__!r} object is not callable: numpy_function takes a function, got {func!r}."
        )
    _with_dtypes(Tout, "numpy_function")

    def convert(value: Any, dtype: DType) -> Tensor:
        array = np.asarray(value)
        return as_tensor(array if array.dtype.kind in "SUO" or array.dtype == dtype.np else array.astype(dtype.np))

    # Eagerly it is a call of the function: what it raises is raised as it is.
    called = _called if inside_a_graph() else lambda func, arguments: func(*arguments)
    return _applied(
        lambda *row: _outputs(called(func, map(np.asarray, row)), Tout, convert), inp, Tout, "numpy_function"
    )
