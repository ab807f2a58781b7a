"""Symbolic tensors: the values of a graph while it is traced, with a shape and a dtype and no numbers. Whoever asks
for numbers is told why there are none."""

import importlib.util
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.contracts import Operation
from tapeflow.core.dtypes import BY_NUMPY, DType
from tapeflow.core.errors import OperatorNotAllowedInGraphError, ValueNeeded, user_call, user_line
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import Size, estimated, public
from tapeflow.core.tensor import EagerTensor, Tensor


class SymbolicTensor(Tensor):
    """A value of a graph: a shape and a dtype, no numbers."""

    __slots__ = ("_graph", "_made", "index", "spec")

    def __init__(self, graph: Any, index: int, spec: Spec) -> None:
        self._graph, self.index, self.spec, self.serial = graph, index, spec, 0
        self._made: Any = None  # of whole numbers, or truths, that come from sizes and constants: a `Later`, or these

    @property
    def _known(self) -> np.ndarray | None:
        """What is in it, for one that is made of sizes; some may not be known. Nothing is asked of them before
        somebody wants to know."""
        waiting = [self] if type(self._made) is Later else []
        while waiting:  # not by recursion: a program may count for long
            symbol = waiting[-1]
            before = [a for a in symbol._made.args if type(a) is SymbolicTensor and type(a._made) is Later]
            waiting += before
            if not before:
                symbol._made.resolve()
                waiting = [s for s in waiting if type(s._made) is Later]
        return self._made

    def as_sizes(self) -> np.ndarray | None:
        """Whole numbers as sizes: what is in it, if it is made of sizes, and else late ones. None: it has no
        numbers."""
        known = self._known
        if known is not None or self.dtype.np.kind not in "iu" or self.ndim > 1 or self._graph.compiles:
            return known
        if not self._graph.is_open() or self.ndim and type(self.spec.shape[0]) is not int:
            return None
        each = ops.unstack(self, axis=0) if self.ndim else [self]
        self._made = np.empty(len(each), object)
        self._made[:] = [self._graph.late_size(one) for one in each]
        self._made = self._made if self.ndim else self._made.reshape(())
        return self._made

    def belongs_to(self, graph: Any) -> bool:
        return self._graph is graph

    def _twin(self) -> "SymbolicTensor":
        return self._graph.new(self.spec)

    @property
    def shape(self) -> TensorShape:
        """With None for sizes that are not known."""
        shape = self.spec.shape
        return tuple.__new__(TensorShape, public(shape) if self._graph.sizes else shape)

    @property
    def sizes(self) -> TensorShape:
        return tuple.__new__(TensorShape, self.spec.shape)

    @property
    def dtype(self) -> DType:
        return BY_NUMPY[self.spec.dtype]

    @property
    def ndim(self) -> int:
        return len(self.spec.shape)

    def get_shape(self) -> TensorShape:
        return tuple.__new__(TensorShape, public(self.spec.shape))

    @property
    def graph(self) -> Any:
        """The graph that it is a value of."""
        return self._graph

    @property
    def op(self) -> Any:
        """The operation that gives it."""
        return self._graph.operations.of(self.index)

    @property
    def name(self) -> str:
        """The name of its operation, and which of that one's outputs it is: `add:0`."""
        operation = self.op
        return f"{operation.name}:{operation.given.index(self.index)}"

    @property
    def device(self) -> str:
        """Empty: where a function runs is known when it does."""
        return ""

    def __len__(self) -> int:
        if not self.spec.shape:
            raise TypeError("Scalar tensor has no `len()`. Its shape is ().")
        if not self._graph.autograph:
            raise TypeError(
                f"len() of a symbolic tensor is not known to Python, at {user_line()}. Use x.shape[0] or "
                "tf.shape(x)[0], or autograph=True."
            )
        return operator.index(self.spec.shape[0])

    def __iter__(self) -> Iterator:
        if not self._graph.autograph:
            raise OperatorNotAllowedInGraphError(
                f"Iterating over a symbolic `tf.Tensor` is not allowed, at {user_line()}: AutoGraph is off. Use "
                "tf.map_fn, tf.scan or tf.while_loop, or autograph=True."
            )
        if not self.spec.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return iter(ops.unstack(self, axis=0))

    def __repr__(self) -> str:
        shape = tuple(public(self.spec.shape))
        return f'Tensor("{self.name}", shape={shape}, dtype={self.dtype.name})'

    __str__ = __repr__


def _refused(what: str | None, kind: type[Exception], instead: str | Callable = "tf operations") -> Any:
    """A method that raises: as `kind`, which programs expect, and as ValueNeeded, by which `tf.function` knows it.

    With ValueNeeded for `kind` the function runs as Python instead; others are mistakes of the program. The library
    asks for `array`, which is of the first kind, and never by Python's own means, such as `float(x)`."""
    bases = (ValueNeeded,) if issubclass(ValueNeeded, kind) else (ValueNeeded, kind)
    error: Any = ValueNeeded
    if kind is not ValueNeeded:
        error = type(
            kind.__name__, bases, {"__doc__": kind.__doc__, "__module__": kind.__module__, "asked_by_python": True}
        )

    def refuse(self: SymbolicTensor, *_: Any, **__: Any) -> Any:
        if not self._graph.is_open() and kind is not AttributeError:
            raise TypeError(
                f"{self} is out of scope and cannot be used here: it is used outside the function that it belongs "
                f"to, at {user_line()}. A symbolic tensor has no value there: return it from the function, and use "
                "the result."
            )
        raise error(
            f"{what or user_call()} needs the value of a tensor, but while a tf.function is traced a tensor has no "
            f"value yet, at {user_line()}. Use {instead(self) if callable(instead) else instead}, or call it outside "
            "of tf.function."
        )

    return refuse


def _no_bool(symbol: SymbolicTensor) -> str:
    """What to do instead, and why Python's statements were not converted."""
    if not symbol._graph.autograph:
        why = "AutoGraph is off; autograph=True converts them"
    elif importlib.util.find_spec("malt") is None:
        why = "AutoGraph, which converts them, is not installed: pip install diastatic-malt"
    else:
        why = "AutoGraph did not convert them here: it needs the source, and leaves installed packages as they are"
    return f"tf.cond, tf.while_loop or tf.where instead of `if` and `while` ({why})"


for _name, _what, _kind in (
    ("__array__", "A NumPy conversion", NotImplementedError), ("__float__", "float()", TypeError),
    ("__int__", "int()", TypeError), ("__complex__", "complex()", TypeError),
    ("__index__", "A Python index or size", ValueNeeded),
):  # fmt: skip
    setattr(SymbolicTensor, _name, _refused(_what, _kind))
_no_index = SymbolicTensor.__index__


def _index(self: SymbolicTensor) -> int:
    return _no_index(self) if self._known is None or self._known.ndim else operator.index(self._known.item())


SymbolicTensor.__index__ = _index
SymbolicTensor.__bool__ = _refused(
    "A symbolic `tf.Tensor` as a Python `bool`", OperatorNotAllowedInGraphError, _no_bool
)
SymbolicTensor.array = property(_refused(None, ValueNeeded, "operations that take a tensor there"))
SymbolicTensor.numpy = property(_refused(".numpy()", AttributeError))


def whole_numbers(tensor: Tensor) -> np.ndarray | None:
    """The numbers in a small tensor that has a value, or what is true."""
    if type(tensor) is not EagerTensor or tensor.dtype.np.kind not in "iub" or np.size(tensor.array) > 64:
        return None
    return np.asarray(tensor.array).astype(object)


def _constants(tensor: Tensor) -> np.ndarray | None:
    """The same as an array of numbers, which indices have to be."""
    return None if whole_numbers(tensor) is None else np.asarray(tensor.array)


class Later(NamedTuple):
    """An operation on tensors of sizes, which may be computed with the sizes themselves."""

    prim: Operation
    args: tuple
    params: dict[Any, Any]
    symbols: tuple

    def resolve(self) -> None:
        """Compute it, if everything it takes is known."""
        known = [a._made if type(a) is SymbolicTensor else _constants(a) for a in self.args]
        params = self.params | {"dtype": np.dtype(object)} if "dtype" in self.params else self.params
        values = None
        try:
            asks = any(s.dtype.kind == "b" for s in self.symbols)  # of sizes nothing is asked here
            if not any(k is None or asks and any(type(d) is Size for d in k.flat) for k in known):
                values = self._computed(known, params)
                # A kernel may compute something else with objects, as one of random numbers does: they must be its
                # numbers.
                now = self._computed(
                    [_estimated(k).astype(a.dtype.np) for k, a in zip(known, self.args)], _now(self.params)
                )
                if any((_estimated(value) != number).any() for value, number in zip(values, now)):
                    values = None
        except Exception:  # a kernel that does not compute with objects
            values = None
        whole = values is not None and all(
            isinstance(d, (int, np.integer, np.bool_, Size)) for value in values for d in value.flat
        )
        for symbol, value in zip(self.symbols, values if whole else [None] * len(self.symbols)):
            symbol._made = value

    def _computed(self, args: list, params: dict) -> list:
        found = self.prim.on("numpy", np)(*args, **params)
        return [np.asarray(value, object) for value in (found if type(found) is tuple else (found,))]


def _now(params: Any) -> Any:
    """Parameters with sizes as what they are now."""
    if type(params) is dict:
        return {name: _now(value) for name, value in params.items()}
    return type(params)(map(_now, params)) if type(params) in (tuple, list) else estimated(params)


def _estimated(known: np.ndarray) -> np.ndarray:
    """Sizes as what they are now, without relying on it."""
    return np.array([estimated(d) for d in known.flat], object).reshape(known.shape)
