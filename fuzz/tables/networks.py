"""tf.nn."""

from ..kinds import *

_FLOATS = dict(_dtypes=["float32", "float32", "float64", "float16", "bfloat16"])
_PADDINGS = ["VALID", "SAME"]
_activations = "crelu elu gelu leaky_relu relu relu6 selu silu"


def _strides(d, rank):
    return d.pick([1, 1, 2, [d.integer(1, 2) for _ in range(rank)]])


def _convolution(rank, transposed=False, strides="strides"):
    def make(d):
        size = [d.integer(3, 5) for _ in range(rank)]
        kernel = [d.integer(1, 3) for _ in range(rank)]
        padding, step = d.pick(_PADDINGS), _strides(d, rank)
        dilation = 1 if step != 1 or d.chance(0.6) or transposed else 2
        if not transposed:
            x, w = d.array((d.integer(0, 2), *size, 2)), d.array((*kernel, d.pick([2, 2, 1]), 2))
            return [x, w, step, padding], {"dilations": dilation} if dilation != 1 else {}
        steps = step if isinstance(step, list) else [step] * rank
        long = [n * s if padding == "SAME" else n * s + max(k - s, 0) for n, s, k in zip(size, steps, kernel)]
        x, w = d.array((2, *size, 3)), d.array((*kernel, 2, 3))
        return [x, w, [2, *long, 2], step], {"padding": padding}

    return dict(_call=make) | _FLOATS


def _pooling(rank, name="padding"):
    def make(d):
        size = [d.integer(2, 5) for _ in range(rank)]
        return [
            d.array((d.integer(0, 2), *size, 2)),
            d.pick([1, 2, [d.integer(1, 3) for _ in range(rank)]]),
            _strides(d, rank),
            d.pick(_PADDINGS),
        ], {}

    return dict(_call=make, _dtypes=["float32", "float32", "float64", "float16", "bfloat16"])


def _depthwise(d):
    step = d.integer(1, 2)
    kwargs = {"dilations": [2, 1]} if step == 1 and d.chance(0.3) else {}
    return [
        d.array((d.integer(0, 2), 4, 5, 2)),
        d.array((d.integer(1, 3), 2, 2, d.integer(1, 2))),
        [1, step, step, 1],
        d.pick(_PADDINGS),
    ], kwargs


def _separable(d):
    return [d.array((2, 4, 5, 2)), d.array((2, 2, 2, 2)), d.array((1, 1, 4, 3)), [1, 1, 1, 1], d.pick(_PADDINGS)], {}


def _morphology(d):
    return [
        d.array((d.integer(0, 2), 4, 5, 2)),
        d.array((2, d.integer(1, 3), 2)),
        [1, 1, d.integer(1, 2), 1],
        d.pick(_PADDINGS),
        "NHWC",
        [1, 1, 1, 1],
    ], {}


def _generic_pool(d):
    rank = d.integer(1, 2)
    x = d.array((2, *[d.integer(3, 5) for _ in range(rank)], 2))
    return [x, [2] * rank, d.pick(["MAX", "AVG"])], {
        "strides": d.pick([None, [1] * rank]),
        "padding": d.pick(_PADDINGS),
    }


def _depthwise_gradient(by_filter):
    def make(d):
        x, w, g = d.array((2, 4, 4, 2)), d.array((2, 2, 2, 2)), d.array((2, 3, 3, 4))
        return ([x, [2, 2, 2, 2], g] if by_filter else [[2, 4, 4, 2], w, g]) + [[1, 1, 1, 1], "VALID"], {}

    return dict(_call=make) | _FLOATS


def _normalized(d):
    x = d.array((2, 3, 2))
    part = lambda: d.array((2,), "positive")
    return [x, part(), part(), part() if d.chance(0.8) else None, part() if d.chance(0.8) else None, 0.01], {}


def _global_normalized(d):
    part = lambda: d.array((2,), "positive")
    return [d.array((2, 3, 3, 2)), part(), part(), part(), part(), 0.01, d.chance(0.5)], {}


def _ctc_loss(d):
    labels = d.array((2, 2), "below 3", "int32")
    return [labels, d.array((5, 2, 4), "normal"), d.array((2,), "true", "int32") if False else [2, 1], [5, 4]], {
        "blank_index": d.pick([-1, 3])
    }


_labels = lambda classes: (
    lambda d: d.array(d.shape[:-1] if d.shape else (), f"below {classes}", d.pick(["int32", "int64"]))
)
_moments = dict(_shapes=[(3,), (2, 3), (2, 1, 3), (0, 3)], axes=some_axes) | _FLOATS
_sparse_ids = lambda d: d.array((3, 2), "below 4", "int64", Sparse)

TABLE = {
    **{f"nn.{op}": _FLOATS for op in _activations.split()},
    "nn.leaky_relu": dict(alpha=one_of(0.1, 0.0)) | _FLOATS,
    "nn.gelu": dict(approximate=flag) | _FLOATS,
    "nn.silu": dict(beta=one_of(1.5, 0.5)) | _FLOATS,
    "nn.atrous_conv2d": dict(
        value=tensor("b 5 6 2"), filters=tensor("2 2 2 3"), rate=number(1, 2), padding=one_of(*_PADDINGS)
    )
    | _FLOATS,
    "nn.atrous_conv2d_transpose": dict(
        value=tensor("2 5 6 3"),
        filters=tensor("2 2 2 3"),
        output_shape=lambda d: [2, 6, 7, 2],
        rate=number(1, 1),
        padding=one_of("VALID"),
    )
    | _FLOATS,
    "nn.conv1d": _convolution(1),
    "nn.conv2d": _convolution(2),
    "nn.conv3d": _convolution(3),
    "nn.convolution": _convolution(2) | dict(_call=lambda d: _plain(d)),
    "nn.conv1d_transpose": _convolution(1, True),
    "nn.conv2d_transpose": _convolution(2, True),
    "nn.conv3d_transpose": _convolution(3, True),
    "nn.conv_transpose": _convolution(2, True),
    "nn.avg_pool": _pooling(2),
    "nn.avg_pool1d": _pooling(1),
    "nn.avg_pool2d": _pooling(2),
    "nn.avg_pool3d": _pooling(3),
    "nn.max_pool": _pooling(2),
    "nn.max_pool1d": _pooling(1),
    "nn.max_pool2d": _pooling(2),
    "nn.max_pool3d": _pooling(3),
    "nn.max_pool_with_argmax": _pooling(2),
    "nn.pool": dict(_call=_generic_pool) | _FLOATS,
    "nn.depthwise_conv2d": dict(_call=_depthwise) | _FLOATS,
    "nn.separable_conv2d": dict(_call=_separable) | _FLOATS,
    "nn.depthwise_conv2d_backprop_filter": _depthwise_gradient(True),
    "nn.depthwise_conv2d_backprop_input": _depthwise_gradient(False),
    "nn.dilation2d": dict(_call=_morphology) | _FLOATS,
    "nn.erosion2d": dict(_call=_morphology) | _FLOATS,
    "nn.batch_normalization": dict(_call=_normalized) | _FLOATS,
    "nn.batch_norm_with_global_normalization": dict(_call=_global_normalized) | _FLOATS,
    "nn.bias_add": dict(value=tensor("b 3 2"), bias=tensor("2"), _dtypes=NUMBERS),
    "nn.collapse_repeated": dict(
        labels=lambda d: d.array((2, 5), "below 3", "int32"), seq_length=one_of([5, 3], [0, 2])
    ),
    "nn.ctc_beam_search_decoder": dict(
        inputs=lambda d: d.array((4, 2, 3), "normal", "float32"),
        sequence_length=one_of([4, 3]),
        beam_width=number(2, 9),
        top_paths=number(1, 2),
    ),
    "nn.ctc_greedy_decoder": dict(
        inputs=lambda d: d.array((4, 2, 3), "normal", "float32"),
        sequence_length=one_of([4, 3], [4, 0]),
        merge_repeated=flag,
        blank_index=one_of(0, 2),
    ),
    "nn.ctc_loss": dict(_call=_ctc_loss, _dtypes=["float32"]),
    "nn.ctc_unique_labels": dict(labels=lambda d: d.array((2, 4), "below 3", "int32")),
    "nn.depth_to_space": dict(input=tensor("b 2 3 4"), block_size=one_of(2)),
    "nn.space_to_depth": dict(input=tensor("b 2 4 3"), block_size=one_of(2)),
    "nn.embedding_lookup": dict(
        params=tensor("4 3"),
        ids=lambda d: d.array(d.pick([(3,), (2, 2), ()]), "below 4", "int64"),
        max_norm=one_of(1.0),
    )
    | _FLOATS,
    "nn.embedding_lookup_sparse": dict(
        params=tensor("4 3"),
        sp_ids=_sparse_ids,
        sp_weights=one_of(None),
        combiner=one_of("sum", "mean", "sqrtn"),
        max_norm=one_of(1.0),
        allow_fast_lookup=never,
        _dtypes=["float32", "float64"],
    ),
    "nn.safe_embedding_lookup_sparse": dict(
        embedding_weights=tensor("4 3"),
        sparse_ids=_sparse_ids,
        sparse_weights=one_of(None),
        combiner=one_of("sum", "mean", "sqrtn"),
        default_id=one_of(1),
        max_norm=one_of(1.0),
        allow_fast_lookup=never,
        _dtypes=["float32", "float64"],
    ),
    "nn.isotonic_regression": dict(
        decreasing=flag,
        axis=one_of(-1),
        _shapes=[(4,), (2, 3), (1, 1)],
        _fills=["normal", "ties"],
        inputs=same,
        _dtypes=["float32", "float64"],
    ),
    "nn.l2_loss": _FLOATS,
    "nn.local_response_normalization": dict(
        input=tensor("b 2 2 5"),
        depth_radius=number(1, 5),
        bias=one_of(1.0, 2.0),
        alpha=one_of(1.0, 0.5),
        beta=one_of(0.5, 1.0),
        _dtypes=["float32", "float16", "bfloat16"],
    ),
    "nn.log_poisson_loss": dict(targets=tensor(fill="positive"), log_input=of_first(), compute_full_loss=flag)
    | _FLOATS,
    "nn.moments": dict(shift=never) | _moments,
    "nn.sufficient_statistics": dict(shift=never) | _moments,
    "nn.weighted_moments": dict(frequency_weights=of_first("positive")) | _moments,
    "nn.normalize_moments": dict(counts=one_of(3.0), mean_ss=same, variance_ss=of_first(), shift=one_of(None))
    | _FLOATS,
    "nn.sigmoid_cross_entropy_with_logits": dict(
        _call=lambda d: ([], {"labels": d.array(fill="unit"), "logits": d.array()})
    )
    | _FLOATS,
    "nn.softmax_cross_entropy_with_logits": dict(
        _call=lambda d: ([d.array(fill="unit"), d.array()], {"axis": -1}), _shapes=[(3,), (2, 3), (0, 3), (2, 0)]
    )
    | _FLOATS,
    "nn.sparse_softmax_cross_entropy_with_logits": dict(labels=_labels(3), logits=same, _shapes=[(3,), (2, 3), (0, 3)])
    | _FLOATS,
    "nn.weighted_cross_entropy_with_logits": dict(
        labels=tensor(fill="unit"), logits=of_first(), pos_weight=one_of(2.0, 0.5)
    )
    | _FLOATS,
}


def _plain(d):
    args, kwargs = _convolution(2)["_call"](d)
    return args[:2], {"strides": args[2], "padding": args[3], **kwargs}
