"""The operators of tensors and variables: `+`, `@`, `<`, `x[...]`, …

`Tensor.__mul__` is the code of the primitive `mul` itself, so `x * y` costs no call more than the primitive. Only
where that code turns to the general path (a Python number, a variable, another dtype) does an operator go its own way.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tapeflow.api.interop import promotion
from tapeflow.core.apply import apply
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.composite import Composite
from tapeflow.core.contracts import Operation
from tapeflow.core.convert import constant_like, is_convertible, to_tensor
from tapeflow.core.dtypes import float32, float64
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime import settings
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable

_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}

# By Python's name, `a op b` on tensors: what `np.add(array, tensor)` and the slices' operators call.
BINARY: dict[str, Callable] = {}


def _binary(name: str, entry: Callable, prepare: Callable | None = None, unlike: bool | None = None) -> None:
    """Install one operator and its reflection. `prepare(a, b)` takes over what the primitive alone cannot do, by
    returning a result; None lets things go on. `unlike` is the answer for shapes that do not fit, if that is none of
    the primitive's errors."""
    prim = entry.primitive
    mirror = f"__{_MIRRORED.get(name, 'r' + name)}__"

    def general(_: Any, args: tuple, params: dict) -> Any:
        a, b = args
        if type(a) is EagerTensor:
            if type(b) is float or type(b) is int:
                constant = constant_like(b, a.array)
                if constant is not None:
                    return forward(a, constant)
            elif isinstance(b, np.generic) and b.dtype is a.array.dtype:
                return forward(a, EagerTensor(b))
        elif isinstance(a, np.generic) and type(b) is EagerTensor and a.dtype is b.array.dtype:
            return forward(EagerTensor(a), b)
        if isinstance(b, Variable):
            return forward(a, b.operand())
        if isinstance(a, Composite) or isinstance(b, Composite):
            return apply(prim, args, params)
        if _has_own(b, mirror):
            return NotImplemented
        if settings.numpy_promotion and b is not None:
            a, b = promotion.promoted(a, b)
        if prepare is not None:
            done = prepare(a, b)
            if done is not None:
                return done
        return apply(prim, (a, b), params)

    # The same code with another general path: nothing is added to the fast one.
    ways = {"apply": general, "retry": entry.__globals__["retry"]}
    if unlike is not None:
        ways = {way: _answering(unlike, function) for way, function in ways.items()}
    forward = FunctionType(entry.__code__, {**entry.__globals__, **ways}, f"__{name}__")

    def reflected(self: Tensor, other: Any) -> Any:
        if type(self) is EagerTensor and (type(other) is float or type(other) is int):
            constant = constant_like(other, self.array)
            if constant is not None:
                return forward(constant, self)
        return forward(other, self)

    setattr(Tensor, f"__{name}__", forward)
    setattr(Variable, f"__{name}__", lambda self, other: forward(self.operand(), other))
    if name not in _MIRRORED:
        setattr(Tensor, mirror, reflected)
        setattr(Variable, mirror, lambda self, other: reflected(self.operand(), other))
    BINARY[name] = forward


def _has_own(other: Any, method: str) -> bool:
    """Is `other` something no tensor can be made of, with an operator of its own?"""
    if isinstance(other, Tensor) or type(other).__module__ == "builtins" or is_convertible(other):
        return False
    return getattr(type(other), method, None) not in (None, getattr(object, method, None))


# ---- where an operator is more than its primitive


def _same_dtype(a: Any, b: Any) -> tuple[Tensor, Tensor]:
    if isinstance(a, Tensor):
        return a, b if isinstance(b, Tensor) else to_tensor(b, a.dtype)
    b = to_tensor(b)
    return to_tensor(a, b.dtype), b


def _has_kind(kind: str, *values: Any) -> bool:
    return any(isinstance(v, Tensor) and v.dtype.kind == kind for v in values)


def _joined_strings(a: Any, b: Any) -> Tensor | None:
    if not _has_kind("s", a, b):
        return None
    a, b = _same_dtype(a, b)
    if a.sizes and b.sizes and a.sizes != b.sizes:
        shape = broadcast_shapes(a.sizes, b.sizes)
        a, b = ops.broadcast_to(a, shape=shape), ops.broadcast_to(b, shape=shape)
    return ops.string_join(a, b, separator="")


def _product_of_masks(a: Any, b: Any) -> Tensor | None:
    """Masks multiply into a mask; a mask and a number do not, and `mul` says so."""
    if not _has_kind("b", a, b):
        return None
    a, b = _same_dtype(a, b)
    return ops.logical_and(a, b) if a.dtype is b.dtype else None


def _true_quotient(a: Any, b: Any) -> Tensor | None:
    """Integers divide into float64, the small ones into float32."""
    a, b = _same_dtype(a, b)
    if a.dtype.kind == "b":
        raise TypeError(
            "Invalid dtype tf.bool in __truediv__: only numbers divide. Cast it first: tf.cast(x, tf.float32)."
        )
    if a.dtype is not b.dtype:
        return None
    if not a.dtype.is_integer:
        return ops.div(a, b)  # what was converted is not converted again: it may count how often
    wide = (float32 if a.dtype.size <= 2 else float64).np
    return ops.div(ops.cast(a, dtype=wide), ops.cast(b, dtype=wide))


def _on_bool(logical: str) -> Callable:
    """`&`, `|` and `^` are bitwise on integers and logical on bool."""

    def prepare(a: Any, b: Any) -> Tensor | None:
        a, b = _same_dtype(a, b)
        return getattr(ops, logical)(a, b) if a.dtype.kind == "b" else None

    return prepare


def _answering(answer: bool, compute: Callable) -> Callable:
    """`compute`, but with an answer where the shapes of the operands do not fit: they are not equal, and that is no
    error."""

    def run(prim: Operation, args: tuple[Any, ...], params: dict[Any, Any], *error: Any) -> Any:
        try:
            return compute(prim, args, params, *error)
        except InvalidArgumentError:
            try:
                broadcast_shapes(*[x.sizes for x in args if isinstance(x, Tensor)])
            except InvalidArgumentError:
                return EagerTensor(np.bool_(answer))
            raise

    return run


def _with_none(answer: bool) -> Callable:
    def prepare(a: Any, b: Any) -> Any:
        return answer if b is None else None

    return prepare


def _invert(x: Tensor) -> Tensor:
    return ops.logical_not(x) if x.dtype.kind == "b" else ops.bitwise_invert(x)


def _round(x: Tensor, ndigits: int | None = None) -> Tensor:
    """`round(x)`: whole numbers, halves to the even one; `round(x, n)`: n decimals."""
    if not x.dtype.is_floating:
        return x
    if not ndigits:
        return ops.round(x)
    scale = 10.0**ndigits
    return ops.round(x * scale) / scale


# ---- installation

for _name, _primitive, *_more in (
    ("add", "add", _joined_strings),
    ("sub", "sub"),
    ("mul", "mul", _product_of_masks),
    ("truediv", "div", _true_quotient),
    ("floordiv", "floordiv"),
    ("mod", "floormod"),
    ("pow", "pow"),
    ("matmul", "matmul"),
    ("and", "bitwise_and", _on_bool("logical_and")),
    ("or", "bitwise_or", _on_bool("logical_or")),
    ("xor", "bitwise_xor", _on_bool("logical_xor")),
    ("lt", "less"),
    ("le", "less_equal"),
    ("gt", "greater"),
    ("ge", "greater_equal"),
    ("eq", "equal", _with_none(False), False),
    ("ne", "not_equal", _with_none(True), True),
):
    _binary(_name, getattr(ops, _primitive), *_more)

for _name, _function in {
    "neg": ops.neg,
    "abs": ops.abs,
    "invert": _invert,
    "pos": lambda x: x,
    "round": _round,
}.items():
    setattr(Tensor, f"__{_name}__", _function)
    setattr(Variable, f"__{_name}__", lambda self, *rest, f=_function: f(self.operand(), *rest))


# Slices scaled by a number stay slices; every other operator makes them dense.


def _of_slices(name: str) -> None:
    forward, mirror = BINARY[name], "r" + name

    def operator(self: IndexedSlices, other: Any) -> Any:
        if name in ("mul", "truediv") and _is_scalar(other):
            return self._with_differentiable(forward(self.values, other))
        return forward(self.dense(), other)

    def reflected(self: IndexedSlices, other: Any) -> Any:
        if name == "mul" and _is_scalar(other):
            return self._with_differentiable(getattr(Tensor, f"__{mirror}__")(self.values, other))
        return getattr(Tensor, f"__{mirror}__")(self.dense(), other)

    setattr(IndexedSlices, f"__{name}__", operator)
    setattr(IndexedSlices, f"__{mirror}__", reflected)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) or getattr(value, "ndim", None) == 0


for _name in ("add", "sub", "mul", "truediv", "pow", "matmul"):
    _of_slices(_name)


# `v += 1` would quietly rebind the name to a tensor; `x += 1` on a tensor means just that.


def _refused(name: str, symbol: str) -> Callable:
    own = f"variable.assign_{name}(value)" if name in ("add", "sub") else f"variable.assign(variable {symbol} value)"

    def refused(self: Variable, other: Any) -> Any:
        raise RuntimeError(
            f"Variable {symbol}= value not supported. Use `{own}` to change the variable, "
            f"or `variable = variable {symbol} value` for a new tensor."
        )

    return refused


for _name, _symbol in dict(
    add="+", sub="-", mul="*", truediv="/", floordiv="//", mod="%", pow="**", matmul="@"
).items():
    setattr(Variable, f"__i{_name}__", _refused(_name, _symbol))


def take_vectors() -> None:
    """From now on `@` of vectors is NumPy's, as long as NumPy's rules are on; TensorFlow's wants matrices."""
    for kind in (Tensor, Variable):
        for name in ("__matmul__", "__rmatmul__"):
            plain = getattr(kind, name)
            if not hasattr(plain, "of_matrices"):
                setattr(kind, name, _with_vectors(plain, reflected=name == "__rmatmul__"))
    if not hasattr(BINARY["matmul"], "of_matrices"):  # of an array and a tensor
        BINARY["matmul"] = _with_vectors(BINARY["matmul"], reflected=False)


def _rank(value: Any) -> int:
    rank = getattr(value, "ndim", None)
    return np.ndim(value) if rank is None else rank


def _with_vectors(plain: Callable, reflected: bool) -> Callable:
    def matmul(self: Any, other: Any) -> Any:
        if not settings.numpy_promotion or self.ndim != 1 != _rank(other):
            return plain(self, other)
        a, b = promotion.promoted(*((other, self) if reflected else (self, other)))
        a, b = to_tensor(a), to_tensor(b)
        if a.ndim == b.ndim == 1:
            return ops.reduce_sum(a * b, axis=(0,), keepdims=False)
        return (a @ b[:, None])[..., 0] if b.ndim == 1 else (a[None, :] @ b)[..., 0, :]

    matmul.of_matrices = plain  # type: ignore[attr-defined]
    return matmul


# What classes that stand for a tensor ask which operators there are, and Python 2's names of some.
_OVERLOADED = """abs add and eq floordiv ge getitem gt invert le lt matmul mod mul ne neg or pow radd rand rfloordiv
    rmatmul rmod rmul ror rpow rsub rtruediv rxor sub truediv xor div rdiv"""
_class: Any = Tensor  # each kind of tensor has a truth value of its own; this is for what becomes a tensor
_class.__bool__ = _class.__nonzero__ = lambda self: bool(to_tensor(self))
_class.__div__, _class.__rdiv__ = Tensor.__truediv__, Tensor.__rtruediv__
_class.OVERLOADABLE_OPERATORS = frozenset(f"__{_name}__" for _name in _OVERLOADED.split())
