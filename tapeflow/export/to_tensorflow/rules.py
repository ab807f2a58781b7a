"""Primitives as TensorFlow's operators: numbers, texts, and moving elements."""

from typing import Any

import numpy as np

from tapeflow.core.sizes import Size
from tapeflow.export.lowering import Unsupported
from tapeflow.ops.arrays.tables import Entries

from .body import Body, Value

_INT, _INT32, _BOOL = np.dtype(np.int64), np.dtype(np.int32), np.dtype(bool)

# Operators that are the primitive itself: `operator primitive`, or one name for both.
_SAME = """
    Neg neg Sqrt sqrt Reciprocal reciprocal Sign sign Exp exp Expm1 expm1 Log log Log1p log1p Sin sin Cos cos
    Tan tan Asin asin Acos acos Atan atan Sinh sinh Cosh cosh Tanh tanh Asinh asinh Acosh acosh Atanh atanh
    Sigmoid sigmoid Floor floor Ceil ceil Rint round Erf erf Erfc erfc Erfinv erfinv Ndtri ndtri Lgamma lgamma
    Digamma digamma Square square Rsqrt rsqrt Relu relu Relu6 relu6 Elu elu Selu selu Softplus softplus
    Softsign softsign LogicalNot logical_not Identity identity
    Invert bitwise_invert ZerosLike zeros_like Sub sub Mul mul RealDiv div FloorDiv floordiv
    FloorMod floormod TruncateDiv truncatediv TruncateMod truncatemod DivNoNan divide_no_nan Pow pow Maximum maximum
    Minimum minimum Atan2 atan2 Less less LessEqual less_equal Greater greater GreaterEqual greater_equal Equal equal
    NotEqual not_equal LogicalAnd logical_and LogicalOr logical_or BitwiseAnd bitwise_and BitwiseOr bitwise_or
    BitwiseXor bitwise_xor LeftShift left_shift RightShift right_shift Igamma igamma Igammac igammac Zeta zeta
    Polygamma polygamma NextAfter nextafter SelectV2 where MatrixDeterminant det Cholesky cholesky MatrixInverse inv
    StringStrip string_strip
""".split()
_REDUCTIONS = {
    "reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max", "reduce_min": "Min", "reduce_prod": "Prod",
    "reduce_any": "Any", "reduce_all": "All",
}  # fmt: skip


def _same(operator: str) -> Any:
    return lambda tf, *xs: tf.node(operator, *xs)


def _reduction(operator: str) -> Any:
    return lambda tf, x, axis, keepdims: tf.node(operator, x, np.array(axis, _INT32), keep_dims=bool(keepdims))


def _running(operator: str) -> Any:
    return lambda tf, x, axis, exclusive, reverse: tf.node(
        operator, x, np.int32(axis), exclusive=bool(exclusive), reverse=bool(reverse)
    )


def _argument(operator: str) -> Any:
    return lambda tf, x, axis, dtype: tf.node(operator, x, np.int32(axis), output_type=np.dtype(dtype))


def _add(tf: Body, a: Value, b: Value) -> Value:
    return tf.AddV2(a, b) if a.dtype.kind != "O" else tf.StringJoin([a, b], separator="")


def _leaky_relu(tf: Body, x: Value, alpha: float) -> Value:
    """The operator has its slope in single precision."""
    if x.dtype.itemsize <= 4:
        return tf.LeakyRelu(x, alpha=float(alpha))
    return tf.SelectV2(tf.Greater(x, tf.scalar(0, x)), x, tf.Mul(x, tf.scalar(alpha, x)))


def _abs(tf: Body, x: Value) -> Value:
    if x.dtype.kind != "c":
        return tf.Abs(x)
    return tf.ComplexAbs(x, Tout=np.dtype(f"f{x.dtype.itemsize // 2}"))


def _about(operator: str, joined: str) -> Any:
    """A question about numbers; about complex ones, it is asked of both parts."""

    def rule(tf: Body, x: Value) -> Value:
        if x.dtype.kind != "c":
            return tf.node(operator, x)
        real = np.dtype(f"f{x.dtype.itemsize // 2}")
        return tf.node(joined, tf.node(operator, tf.Real(x, Tout=real)), tf.node(operator, tf.Imag(x, Tout=real)))

    return rule


def _cast(tf: Body, x: Value, dtype: Any) -> Value:
    return tf.Cast(x, DstT=np.dtype(dtype))


def _matmul(tf: Body, a: Value, b: Value) -> Value:
    return tf.MatMul(a, b) if a.rank == b.rank == 2 else tf.BatchMatMulV2(a, b)


def _matrix_transpose(tf: Body, x: Value) -> Value:
    return tf.Transpose(x, np.array([*range(x.rank - 2), x.rank - 1, x.rank - 2], _INT32))


def _bounds(index: tuple, rank: int) -> tuple[list, list, list, dict]:
    """Begin, end, steps, and the masks that say which of them count."""
    rest = rank - sum(i is not None and i is not ... for i in index)
    at = index.index(...) if ... in index else len(index)
    full = (*index[:at], *[(None, None, None)] * rest, *index[at + 1 :])
    begin, end, steps = [], [], []
    masks = dict.fromkeys(("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask"), 0)
    for k, i in enumerate(full):
        start, stop, step = i if type(i) is tuple else (i, None, 1) if i is not None else (None, None, 1)
        if i is None:
            masks["new_axis_mask"] |= 1 << k
        elif type(i) is tuple:
            masks["begin_mask"] |= (start is None) << k
            masks["end_mask"] |= (stop is None) << k
        else:
            masks["shrink_axis_mask"] |= 1 << k
            stop = start + 1
        begin.append(0 if start is None else start)
        end.append(0 if stop is None else stop)
        steps.append(1 if step is None else int(step))
    return begin, end, steps, masks


def _getitem(tf: Body, x: Value, index: tuple) -> Value:
    begin, end, steps, masks = _bounds(index, x.rank)
    return tf.StridedSlice(x, tf.sizes(begin), tf.sizes(end), tf.sizes(steps), **masks)


def _unslice(tf: Body, x: Value, index: tuple, shape: tuple) -> Value:
    begin, end, steps, masks = _bounds(index, len(shape))
    return tf.StridedSliceGrad(tf.sizes(shape), tf.sizes(begin), tf.sizes(end), tf.sizes(steps), x, **masks)


def _flip(tf: Body, x: Value, axis: Any) -> Value:
    return tf.ReverseV2(x, np.array([axis] if isinstance(axis, int) else axis, _INT32))


def _split(tf: Body, x: Value, sizes: tuple, axis: int) -> tuple:
    return tf.SplitV(x, tf.sizes(sizes), np.int32(axis), num_split=len(sizes))


def _size_tensor(tf: Body, sizes: Any, dtype: Any) -> Value:
    vector = isinstance(sizes, (tuple, list))
    if any(isinstance(d, (tuple, list)) for d in (sizes if vector else ())):
        raise Unsupported("makes a matrix of sizes: make a vector of them")
    found = tf.sizes(sizes) if vector else tf.Squeeze(tf.size(sizes), squeeze_dims=[0])
    return found if np.dtype(dtype) == _INT else tf.Cast(found, DstT=np.dtype(dtype))


def _gather(tf: Body, x: Value, indices: Value, axis: int) -> Value:
    return tf.GatherV2(x, indices, np.int32(axis))


def _take_along(tf: Body, x: Value, indices: Value) -> Value:
    plain = lambda shape: [d.expression if type(d) is Size else d for d in shape[:-1]]
    if plain(x.shape) != plain(indices.shape):
        raise Unsupported("reads along rows that are spread: use tf.broadcast_to first")
    return tf.GatherV2(x, indices, np.int32(x.rank - 1), batch_dims=x.rank - 1)


def _top_k(tf: Body, x: Value, k: Any) -> tuple:
    count = tf.Cast(tf.Squeeze(tf.size(k), squeeze_dims=[0]), DstT=_INT32)
    return tf.TopKV2(x, count, index_type=_INT32)


def _nonzero(tf: Body, x: Value) -> Value:
    if not x.rank:
        raise Unsupported("looks for a number that is not 0 in a scalar, which TensorFlow does not")
    return tf.Where(x)


def _compress(tf: Body, x: Value, condition: Value) -> Value:
    """The rows at the places where a mask holds."""
    if condition.rank != 1:
        x = tf.Reshape(x, tf.ConcatV2([np.array([-1], _INT), tf.sizes(x.shape[condition.rank :])], np.int32(0)))
        condition = tf.Reshape(condition, np.array([-1], _INT))
    return tf.GatherV2(x, tf.Squeeze(tf.Where(condition), squeeze_dims=[1]), np.int32(0))


def _scatter(operator: str) -> Any:
    def rule(tf: Body, x: Value, ids: Value, updates: Value) -> Value:
        updates = tf.BroadcastTo(updates, tf.sizes((*ids.shape, *x.shape[1:])))
        return tf.node(operator, x, tf.ExpandDims(ids, np.int32(-1)), updates)

    return rule


def _segments(operator: str) -> Any:
    return lambda tf, x, ids, num_segments: tf.node(
        operator, x, ids, tf.Squeeze(tf.size(num_segments), squeeze_dims=[0])
    )


def _along(operator: str) -> Any:
    """A function of rows along one axis, which the operator has last."""

    def rule(tf: Body, x: Value, axis: int) -> Value:
        if axis == x.rank - 1:
            return tf.node(operator, x)
        perm = np.arange(x.rank, dtype=np.int32)
        perm[[axis, -1]] = perm[[-1, axis]]
        return tf.Transpose(tf.node(operator, tf.Transpose(x, perm)), perm)

    return rule


def _table_lookup(tf: Body, keys: Value, table: Entries) -> Value:
    wanted = table.keys.dtype
    found = tf.LookupTableFindV2(
        tf.tables[table.content], keys if keys.dtype == wanted else tf.Cast(keys, DstT=wanted), table.default
    )
    if not table.buckets:
        return found
    texts = keys if keys.dtype.kind == "O" else tf.AsString(keys)
    others = tf.AddV2(tf.StringToHashBucketFast(texts, num_buckets=table.buckets), np.int64(len(table.keys)))
    return tf.SelectV2(tf.NotEqual(found, table.default), found, others)


def _case(operator: str) -> Any:
    return lambda tf, x, encoding: tf.node(operator, x, encoding=encoding)


def _text(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


RULES: dict[str, Any] = {
    **{name: _same(operator) for operator, name in zip(_SAME[::2], _SAME[1::2])},
    **{name: _reduction(operator) for name, operator in _REDUCTIONS.items()},
    "abs": _abs,
    "is_nan": _about("IsNan", "LogicalOr"),
    "is_inf": _about("IsInf", "LogicalOr"),
    "is_finite": _about("IsFinite", "LogicalAnd"),
    "add": _add,
    "add_n": lambda tf, *xs: tf.AddN(list(xs)),
    "leaky_relu": _leaky_relu,
    "cast": _cast,
    "cumsum": _running("Cumsum"),
    "cumprod": _running("Cumprod"),
    "argmax": _argument("ArgMax"),
    "argmin": _argument("ArgMin"),
    "softmax": _along("Softmax"),
    "log_softmax": _along("LogSoftmax"),
    "matmul": _matmul,
    "contract": lambda tf, a, b, equation: tf.Einsum([a, b], equation=equation),
    "matrix_transpose": _matrix_transpose,
    "band_part": lambda tf, x, lower, upper: tf.MatrixBandPart(x, np.int64(lower), np.int64(upper)),
    "reshape": lambda tf, x, shape: tf.Reshape(x, tf.sizes(shape)),
    "broadcast_to": lambda tf, x, shape: tf.BroadcastTo(x, tf.sizes(shape)),
    "transpose": lambda tf, x, perm: tf.Transpose(x, np.array(perm, _INT32)),
    "getitem": _getitem,
    "unslice": _unslice,
    "flip": _flip,
    "concat": lambda tf, *xs, axis: tf.ConcatV2(list(xs), np.int32(axis)) if len(xs) > 1 else tf.Identity(xs[0]),
    "stack": lambda tf, *xs, axis: tf.Pack(list(xs), axis=axis),
    "split": _split,
    "unstack": lambda tf, x, axis: tf.Unpack(x, axis=axis, num=int(x.shape[axis])),
    "size_tensor": _size_tensor,
    "gather": _gather,
    "take": _gather,
    "take_along": _take_along,
    "top_k": _top_k,
    "compress": _compress,
    "nonzero": _nonzero,
    "scatter_update": _scatter("TensorScatterUpdate"),
    "scatter_max": _scatter("TensorScatterMax"),
    "scatter_min": _scatter("TensorScatterMin"),
    "unsorted_segment_sum": _segments("UnsortedSegmentSum"),
    "unsorted_segment_prod": _segments("UnsortedSegmentProd"),
    "table_lookup": _table_lookup,
    "string_lower": _case("StringLower"),
    "string_upper": _case("StringUpper"),
    "string_length": lambda tf, x, unit: tf.StringLength(x, unit=unit),
    "string_join": lambda tf, *xs, separator: tf.StringJoin(list(xs), separator=_text(separator)),
    "string_to_number": lambda tf, x, dtype: tf.StringToNumber(x, out_type=np.dtype(dtype)),
    "regex_replace": lambda tf, x, pattern, rewrite, replace_global: tf.StaticRegexReplace(
        x, pattern=_text(pattern), rewrite=_text(rewrite), replace_global=bool(replace_global)
    ),
    "regex_full_match": lambda tf, x, pattern: tf.StaticRegexFullMatch(x, pattern=_text(pattern)),
}
