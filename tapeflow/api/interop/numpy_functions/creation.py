"""New arrays, with NumPy's default dtypes (float64, int64)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arrays.made_later import counted, is_made_later, made, numbers
from tapeflow.api.interop.promotion import cast, promoted, tensor
from tapeflow.core.apply import array_of
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import DType, float64
from tapeflow.core.frames import current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.memory_limits import of_memory_error
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

from .registry import like_numpy, numpy_dtype
from .shaping import moveaxis, ravel


def _made(name: str, example: str, doc: str, later: Callable[..., Tensor | None]) -> Callable:
    """A NumPy function without array arguments: NumPy makes it, we wrap it. Large constants of a graph are what
    `later` gives for the same arguments."""
    numpy_function = getattr(np, name)

    def function(*args: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        by_position = [a for a in args if isinstance(a, DType)]  # a dtype is never in the place of something else
        wanted = numpy_dtype(by_position[0] if by_position else dtype)
        plain = [array_of(a) if isinstance(a, Tensor) else a for a in args if not isinstance(a, DType)]
        if wanted is not None:
            kwargs["dtype"] = wanted.np
        found = None if current().executor is None else later(*plain, **kwargs)
        if found is not None:
            return found
        try:
            return tensor(numpy_function(*plain, **kwargs))
        except MemoryError as error:
            raise of_memory_error(error) from error

    function.__name__, function.__module__, function.__doc__ = name, __name__, doc
    return like_numpy(example)(function)


def _filled_later(value: int) -> Callable[..., Tensor | None]:
    def later(shape: Any, dtype: Any = np.float64, order: str = "C", **_: Any) -> Tensor | None:
        sizes = (int(shape),) if np.ndim(shape) == 0 else tuple(map(int, shape))
        one = EagerTensor(np.dtype(dtype).type(value))
        return ops.broadcast_to(one, shape=sizes) if is_made_later(math.prod(sizes)) else None

    return later


def _diagonal_later(compare: Callable) -> Callable[..., Tensor | None]:
    def later(N: int, M: int | None = None, k: int = 0, dtype: Any = np.float64, **_: Any) -> Tensor | None:
        columns = N if M is None else M
        if not is_made_later(N * columns):
            return None
        row = ops.reshape(counted(N), shape=(N, 1))
        return ops.cast(compare(counted(columns) - row, np.int64(k)), dtype=np.dtype(dtype))

    return later


def _range_later(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **_: Any) -> Tensor | None:
    start, stop, step = (0, start, step or 1) if stop is None else (start, stop, step or 1)
    count = math.ceil((stop - start) / step)
    if not is_made_later(count):
        return None
    found = np.arange(start, start + step, step).dtype
    if found.kind in "iu":
        values = counted(count, found.type(start), found.type(step))
    else:
        values = numbers(count) * float(step) + float(start)
    return ops.cast(values, dtype=np.dtype(found if dtype is None else dtype))


_eye_later = _diagonal_later(ops.equal)

zeros = _made("zeros", "(2, 3)", "Zeros of a shape.", _filled_later(0))
ones = _made("ones", "(2, 3)", "Ones of a shape.", _filled_later(1))
eye = _made("eye", "2, 3, 1", "Ones on a diagonal.", _eye_later)
identity = _made("identity", "2", "The identity matrix.", lambda n, dtype=np.float64, **_: _eye_later(n, dtype=dtype))
arange = _made("arange", "1, 7, 2", "Evenly spaced numbers below a limit.", _range_later)
tri = _made("tri", "2, 3", "Ones on and below a diagonal.", _diagonal_later(ops.less_equal))


@like_numpy("(2, 3)", check="{ours}.shape == {theirs}.shape")
def empty(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
    """Zeros of a shape: nothing here is left without a value."""
    return zeros(shape, dtype=dtype)


def _like(name: str, doc: str, made: Callable) -> Callable:
    def function(
        a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
    ) -> Tensor:
        a = tensor(a)
        return made(tuple(a.sizes) if shape is None else shape, dtype=numpy_dtype(dtype) or a.dtype)

    function.__name__, function.__module__, function.__doc__ = name, __name__, doc
    return like_numpy("[1.0, 2.0]", check="{ours}.shape == {theirs}.shape")(function)


zeros_like = _like("zeros_like", "Zeros in the shape and dtype of an array.", zeros)
ones_like = _like("ones_like", "Ones in the shape and dtype of an array.", ones)
empty_like = _like("empty_like", "Zeros in the shape and dtype of an array.", zeros)


@like_numpy("(2, 2), 5.0")
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Tensor:
    """One value in every place."""
    value = tensor(fill_value, numpy_dtype(dtype))
    return ops.broadcast_to(value, shape=(int(shape),) if np.ndim(shape) == 0 else tuple(int(d) for d in shape))


@like_numpy("[1.0, 2.0], 5.0")
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    """One value in the shape and dtype of an array."""
    a = tensor(a)
    return full(tuple(a.sizes) if shape is None else shape, fill_value, numpy_dtype(dtype) or a.dtype)


@like_numpy("[[1, 2], [3, 4]]", "asarray", "asanyarray", "ascontiguousarray")
def array(
    object: Any, dtype: Any = None, *, copy: bool | None = True, order: str = "K", ndmin: int = 0, device: Any = None
) -> Tensor:
    """A tensor of numbers, lists or arrays."""
    made = tensor(object, numpy_dtype(dtype))
    return (
        made
        if len(made.sizes) >= ndmin
        else ops.reshape(made, shape=(1,) * (ndmin - len(sizes_of(made))) + tuple(sizes_of(made)))
    )


@like_numpy("0.0, 1.0, 5")
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`; differentiable in both.

    Returns:
        The numbers; with `retstep` a pair, with the distance between them.
    """
    start, stop = promoted(start, stop, 1.0, inexact=float64)[:2]
    steps = num - 1 if endpoint else num
    rank = max(len(start.sizes), len(stop.sizes))
    shares = made(num, lambda: numbers(num) / max(steps, 1))
    place = cast(ops.reshape(shares, shape=(num,) + (1,) * rank), start.dtype)
    found = start * (1.0 - place) + stop * place
    if axis:
        found = moveaxis(found, 0, axis)
    wanted = numpy_dtype(dtype)
    if wanted is not None:
        found = cast(found, wanted)
    return (found, (stop - start) / max(steps, 1)) if retstep else found


@like_numpy("0.0, 2.0, 3")
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Numbers evenly spaced on a logarithmic scale, from base**start to base**stop."""
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    found = ops.pow(tensor(base, exponents.dtype), exponents)
    return found if dtype is None else cast(found, numpy_dtype(dtype))


@like_numpy("1.0, 100.0, 3")
def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Tensor:
    """Numbers evenly spaced on a logarithmic scale, from `start` to `stop`."""
    start, stop = promoted(start, stop, 1.0, inexact=float64)[:2]
    found = start * ops.exp(linspace(ops.zeros_like(start), ops.log(stop / start), num, endpoint, axis=axis))
    return found if dtype is None else cast(found, numpy_dtype(dtype))


@like_numpy("[1.0, 2.0], [3.0, 4.0, 5.0]")
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinates of a grid from the coordinates along each axis.

    Returns:
        For each axis the coordinates of all points.
    """
    xs = [ravel(x) for x in xi]
    rank = len(xs)
    place = lambda i: {0: 1, 1: 0}.get(i, i) if indexing == "xy" and rank > 1 else i
    spread = [
        ops.reshape(x, shape=tuple(x.sizes[0] if a == place(i) else 1 for a in range(rank))) for i, x in enumerate(xs)
    ]
    if sparse:
        return tuple(spread)
    shape = broadcast_shapes(*[tuple(s.sizes) for s in spread])
    return tuple(ops.broadcast_to(s, shape=shape) for s in spread)
