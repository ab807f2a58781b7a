"""tf.math, tf.bitwise, tf.quantization."""

from ..kinds import *

_FLOATS = dict(_dtypes=FLOATS)
_LOGIC = dict(_dtypes=["bool"])
_segments = dict(data=same, _shapes=[(3,), (5,), (4, 2), (0,), (0, 3), (5, 1, 2)])
_unsorted = _segments | dict(
    segment_ids=lambda d: d.array(
        d.first.shape[: d.integer(1, d.rank)], d.pick(["below 4", "below 7"]), d.pick(["int32", "int64"])
    )
)

TABLE = {
    "math.accumulate_n": dict(inputs=several(), shape=never, tensor_dtype=never),
    "math.add_n": dict(inputs=several()),
    "math.atan2": dict(y=same, x=like) | _FLOATS,
    "math.angle": dict(input=same, _dtypes=["float32", "float64", "complex64", "complex128"]),
    "math.argmax": dict(input=same, axis=axis),
    "math.argmin": dict(input=same, axis=axis),
    "math.betainc": dict(a=of_first(), b=like, x=like, _fills=["positive", "unit", "special"]) | _FLOATS,
    "math.bincount": dict(
        arr=tensor(fill="below 5", dtype=["int32", "int64"]),
        weights=of_first("normal", ["float32", "int32", "float64"]),
        minlength=number(0, 7),
        maxlength=number(1, 7),
        axis=one_of(None, 0, -1),
        binary_output=flag,
        dtype=dtypes("int32", "int64", "float32"),
        _shapes=[(5,), (2, 3), (0,), (0, 2), (2, 0), ()],
    ),
    "math.confusion_matrix": dict(
        labels=tensor("n", "below 4", ["int32", "int64"]),
        predictions=of_first("below 4"),
        num_classes=number(4, 6),
        weights=of_first("normal", "float32"),
        dtype=dtypes("int32", "float32", "int64"),
    ),
    "math.count_nonzero": dict(dtype=index_dtype),
    "math.cumsum": dict(axis=axis),
    "math.cumprod": dict(axis=axis),
    "math.cumulative_logsumexp": dict(axis=axis) | _FLOATS,
    "math.igamma": dict(a=same, x=like, _fills=["positive", "unit", "special"]) | _FLOATS,
    "math.igammac": dict(a=same, x=like, _fills=["positive", "unit", "special"]) | _FLOATS,
    "math.in_top_k": dict(
        targets=tensor("b", "below 4", ["int32", "int64"]),
        predictions=tensor("b 4", ["normal", "ties", "special"], "float32"),
        k=number(1, 5),
    ),
    "math.invert_permutation": dict(
        x=tensor(fill="permutation", dtype=["int32", "int64"]), _shapes=[(1,), (3,), (5,), (0,)]
    ),
    "math.l2_normalize": dict(epsilon=one_of(1e-12, 0.1), dim=never),
    "math.lbeta": dict(_fills=["positive", "special"]) | _FLOATS,
    "math.log_softmax": dict(axis=axis) | _FLOATS,
    "math.softmax": dict(axis=axis) | _FLOATS,
    **{f"math.logical_{op}": _LOGIC for op in ("and", "or", "xor", "not")},
    "math.reduce_all": _LOGIC,
    "math.reduce_any": _LOGIC,
    "math.nextafter": dict(x1=same, x2=like, _dtypes=["float32", "float64"]),
    "math.polygamma": dict(
        a=lambda d: d.array(fill="below 4"),
        x=like,
        _dtypes=["float32", "float64"],
        _fills=["positive", "normal", "special"],
    ),
    "math.polyval": dict(coeffs=several(0, 3), x=like),
    "math.pow": dict(x=same, y=like, _dtypes=FLOATS * 2 + COMPLEX + ["int32", "int64"]),
    "math.scalar_mul": dict(scalar=lambda d: d.array((), dtype=d.dtype) if d.chance(0.7) else 3, x=same),
    **{f"math.segment_{op}": _segments for op in ("max", "min", "mean", "sum", "prod")},
    **{f"math.unsorted_segment_{op}": _unsorted for op in ("max", "min", "mean", "sum", "prod", "sqrt_n")},
    "math.sobol_sample": dict(
        dim=number(1, 5), num_results=number(0, 6), skip=number(0, 4), dtype=dtypes("float32", "float64")
    ),
    "math.top_k": dict(
        input=same, k=number(0, 4), sorted=one_of(True), index_type=index_dtype, _shapes=[(5,), (4, 4), (2, 0), (0, 4)]
    ),
    "math.zeta": dict(x=same, q=like, _dtypes=["float32", "float64"], _fills=["positive", "special"]),
    "math.is_non_decreasing": dict(_fills=["sorted", "ties", "normal", "special"]),
    "math.is_strictly_increasing": dict(_fills=["sorted", "ties", "normal", "special"]),
    "math.softplus": _FLOATS,
    "math.softsign": _FLOATS,
    "math.log_sigmoid": _FLOATS,
    "math.bessel_i0": _FLOATS,
    "quantization.fake_quant_with_min_max_args": dict(
        inputs=same, min=one_of(-6.0, 0.0, -1.5), max=one_of(6.0, 1.0), num_bits=number(2, 8), narrow_range=flag
    ),
    "quantization.fake_quant_with_min_max_vars": dict(
        inputs=same, min=one_of(-6.0, 0.0, -1.5, 0.5), max=one_of(6.0, 1.0), num_bits=number(2, 8), narrow_range=flag
    ),
    "quantization.fake_quant_with_min_max_vars_per_channel": dict(
        inputs=tensor("b 3"),
        min=tensor("3", "zeros"),
        max=tensor("3", "positive"),
        num_bits=number(2, 8),
        narrow_range=flag,
    ),
    "quantization.quantize_and_dequantize": dict(
        input=same,
        input_min=one_of(-1.0, -2.5),
        input_max=one_of(1.0, 2.0),
        signed_input=flag,
        num_bits=number(3, 8),
        range_given=flag,
        narrow_range=flag,
        round_mode=one_of("HALF_TO_EVEN", "HALF_UP"),
        axis=never,
    ),
}
