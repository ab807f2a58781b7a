"""Functions of numbers and truth values, and reductions."""

from typing import Any

import numpy as np

from tapeflow.export.lowering import Unsupported

from .builder import Builder, Value, onnx_type

_BOOL, _INT = np.dtype(bool), np.dtype(np.int64)

# Operators that are the primitive itself.
_SAME = {
    "sub": "Sub", "mul": "Mul", "neg": "Neg", "div": "Div", "sqrt": "Sqrt", "reciprocal": "Reciprocal",
    "abs": "Abs", "sign": "Sign", "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "sigmoid": "Sigmoid", "floor": "Floor", "ceil": "Ceil", "round": "Round",
    "erf": "Erf", "pow": "Pow", "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor", "bitwise_invert": "BitwiseNot", "identity": "Identity", "softsign": "Softsign",
    "det": "Det", "matmul": "MatMul",
}  # fmt: skip
_TRUTH = {
    "less": "Less", "less_equal": "LessOrEqual", "greater": "Greater", "greater_equal": "GreaterOrEqual",
    "equal": "Equal", "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not",
    "is_nan": "IsNaN", "is_inf": "IsInf",
}  # fmt: skip
_REDUCTIONS = {
    "reduce_sum": "ReduceSum", "reduce_mean": "ReduceMean", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd",
}  # fmt: skip


def _same(operator: str) -> Any:
    return lambda onnx, *xs, **params: onnx.node(operator, *xs)


def _truth(operator: str) -> Any:
    return lambda onnx, *xs, **params: onnx.node(operator, *xs, dtype=_BOOL)


def _reduction(operator: str) -> Any:
    def rule(onnx: Builder, x: Value, axis: tuple[int, ...], keepdims: bool) -> Value:
        if not axis:  # ONNX takes no axes for all of them
            return onnx.Identity(x)
        narrow = x.dtype.kind in "iu" and x.dtype.itemsize < 4
        wide = _cast(onnx, x, np.int32) if narrow else x
        out = onnx.node(operator, wide, np.array(axis, _INT), keepdims=int(keepdims))
        return _cast(onnx, out, x.dtype) if narrow else out

    return rule


def _add(onnx: Builder, a: Value, b: Value) -> Value:
    return onnx.StringConcat(a, b) if a.dtype.kind == "O" else onnx.Add(a, b)


def _extreme(operator: str, keep: str) -> Any:
    def rule(onnx: Builder, a: Value, b: Value) -> Value:
        if a.dtype.kind in "iu" and a.dtype.itemsize < 4:
            return onnx.Where(onnx.node(keep, a, b, dtype=_BOOL), a, b, dtype=a.dtype)
        return onnx.node(operator, a, b)

    return rule


def _truncatediv(onnx: Builder, a: Value, b: Value) -> Value:
    if a.dtype.kind in "iu":
        return onnx.Div(a, b)
    quotient = onnx.Div(a, b)
    below = onnx.Less(quotient, onnx.scalar(0, a), dtype=_BOOL)
    return onnx.Where(below, onnx.Ceil(quotient), onnx.Floor(quotient), dtype=a.dtype)


def _shift(direction: str) -> Any:
    def rule(onnx: Builder, a: Value, b: Value) -> Value:
        if a.dtype.kind != "u":
            raise Unsupported("shifts signed integers, and ONNX shifts unsigned ones only: cast to an unsigned dtype")
        most = onnx.scalar(a.dtype.itemsize * 8 - 1, a)
        return onnx.BitShift(
            a, onnx.Where(onnx.Less(b, most, dtype=_BOOL), b, most, dtype=a.dtype), direction=direction
        )

    return rule


def _cast(onnx: Builder, x: Value, dtype: Any) -> Value:
    dtype = np.dtype(dtype)
    return onnx.Cast(x, to=onnx_type(dtype), dtype=dtype)


def _zeros_like(onnx: Builder, x: Value) -> Value:
    return onnx.Expand(onnx.constant(_nothing(x.dtype)), onnx.Shape(x, dtype=_INT))


def _nothing(dtype: Any) -> np.ndarray:
    return np.array(b"", object) if dtype.kind == "O" else np.zeros((), dtype)


def _where(onnx: Builder, condition: Value, a: Value, b: Value) -> Value:
    if a.dtype == _BOOL:  # runtimes have no kernel for it
        return onnx.Or(onnx.And(condition, a), onnx.And(onnx.Not(condition), b))
    return onnx.Where(condition, a, b, dtype=a.dtype)


def _cumsum(onnx: Builder, x: Value, axis: int, exclusive: bool, reverse: bool) -> Value:
    narrow = x.dtype.itemsize < 4
    wide = _cast(onnx, x, np.int32 if x.dtype.kind in "iu" else np.float32) if narrow else x
    out = onnx.CumSum(wide, np.array(axis, _INT), exclusive=int(exclusive), reverse=int(reverse))
    return _cast(onnx, out, x.dtype) if narrow else out


def _argument(operator: str) -> Any:
    def rule(onnx: Builder, x: Value, axis: int, dtype: Any) -> Value:
        if x.dtype == _BOOL:
            x = _cast(onnx, x, np.int32)
        elif x.dtype.kind == "f":  # NaN never wins
            worst = onnx.scalar(-np.inf if operator == "ArgMax" else np.inf, x)
            x = onnx.Where(onnx.IsNaN(x, dtype=_BOOL), worst, x, dtype=x.dtype)
        found = onnx.node(operator, x, axis=axis, keepdims=0, dtype=_INT)
        return found if np.dtype(dtype) == _INT else _cast(onnx, found, dtype)

    return rule


def _of_rectifiers(operator: str, **attributes: float) -> Any:
    return lambda onnx, x: onnx.node(operator, x, **attributes)


RULES: dict[str, Any] = {
    **{name: _same(operator) for name, operator in _SAME.items()},
    **{name: _truth(operator) for name, operator in _TRUTH.items()},
    **{name: _reduction(operator) for name, operator in _REDUCTIONS.items()},
    "add": _add,
    "maximum": _extreme("Max", "GreaterOrEqual"),
    "minimum": _extreme("Min", "LessOrEqual"),
    "truncatediv": _truncatediv,
    "truncatemod": lambda onnx, a, b: onnx.Mod(a, b, fmod=1),
    "left_shift": _shift("LEFT"),
    "right_shift": _shift("RIGHT"),
    "cast": _cast,
    "zeros_like": _zeros_like,
    "where": _where,
    "cumsum": _cumsum,
    "argmax": _argument("ArgMax"),
    "argmin": _argument("ArgMin"),
    "relu": lambda onnx, x: onnx.Relu(x) if x.dtype.kind != "i" else onnx.Max(x, onnx.scalar(0, x)),
    "elu": _of_rectifiers("Elu", alpha=1.0),
    "selu": _of_rectifiers("Selu", alpha=1.6732632423543772, gamma=1.0507009873554805),
    "softplus": _of_rectifiers("Softplus"),
    "gelu": _of_rectifiers("Gelu"),
    "gelu_tanh": lambda onnx, x: onnx.Gelu(x, approximate="tanh"),
    "leaky_relu": lambda onnx, x, alpha: onnx.LeakyRelu(x, alpha=float(alpha)),
    "softmax": lambda onnx, x, axis: onnx.Softmax(x, axis=axis),
    "log_softmax": lambda onnx, x, axis: onnx.LogSoftmax(x, axis=axis),
}
