"""tf.sets, tf.ragged, tf.sparse."""

from ..kinds import *

_sp = tensor((3, 4), of=Sparse)
_sets = lambda d: d.array((2, 3), "below 5", d.pick(["int32", "int64"]))
_segments = dict(
    data=tensor((4, 2)),
    indices=lambda d: d.array((3,), "below 4", d.pick(["int32", "int64"])),
    segment_ids=lambda d: d.array((3,), "segments", "int32"),
    num_segments=number(3, 5),
    sparse_gradient=never,
    _dtypes=["float32", "float64", "float16", "bfloat16"],
)

TABLE = {
    # ---- sets
    **{f"sets.{op}": dict(a=_sets, b=_sets, aminusb=flag) for op in ["difference"]},
    **{f"sets.{op}": dict(a=_sets, b=_sets) for op in ("intersection", "union")},
    "sets.size": dict(a=tensor((2, 3), "below 5", "int64", Sparse)),
    # ---- ragged
    "ragged.boolean_mask": dict(data=tensor((2, 3)), mask=lambda d: d.array((2, 3), dtype="bool")),
    "ragged.constant": dict(
        pylist=one_of([[1, 2], [3]], [], [[], [1.5]], [[[1], []], []], [["a"], []]),
        ragged_rank=number(1, 1),
        dtype=never,
        inner_shape=never,
        row_splits_dtype=index_dtype,
    ),
    "ragged.cross": dict(
        inputs=lambda d: [d.array((2, 2), "below 5", "int64", Ragged), d.array((2, 2), "below 5", "int64")]
    ),
    "ragged.cross_hashed": dict(
        inputs=lambda d: [d.array((2, 2), "below 5", "int64", Ragged), d.array((2, 2), "below 5", "int64")],
        num_buckets=number(0, 9),
        hash_key=one_of(3),
    ),
    "ragged.range": dict(
        starts=one_of(0, [0, 1], [5]),
        limits=one_of([2, 4], 6),
        deltas=one_of(1, 2),
        dtype=dtypes("int32", "float32"),
        row_splits_dtype=index_dtype,
    ),
    "ragged.row_splits_to_segment_ids": dict(splits=one_of([0, 2, 2, 5], [0], [0, 1]), out_type=index_dtype),
    "ragged.segment_ids_to_row_splits": dict(
        segment_ids=one_of([0, 0, 2], [], [1]), num_segments=number(3, 5), out_type=index_dtype
    ),
    "ragged.stack": dict(values=lambda d: [d.array((2, 3), of=Ragged) for _ in range(2)], axis=one_of(0, 1)),
    "ragged.stack_dynamic_partitions": dict(
        data=tensor((4, 2)), partitions=lambda d: d.array((4,), "below 3", "int32"), num_partitions=number(3, 4)
    ),
    # ---- sparse
    "sparse.add": dict(a=_sp, b=_sp, threshold=one_of(0)),
    "sparse.concat": dict(axis=one_of(0, 1, -1), sp_inputs=lambda d: [_sp(d), _sp(d)], expand_nonconcat_dims=flag),
    "sparse.bincount": dict(
        values=tensor((2, 3), "below 5", "int64", of=Sparse),
        weights=never,
        axis=one_of(0, -1),
        minlength=number(0, 7),
        maxlength=number(1, 7),
        binary_output=flag,
    ),
    "sparse.cross": dict(
        inputs=lambda d: [d.array((2, 2), "below 5", "int64", Sparse), d.array((2, 2), "below 5", "int64")],
        separator=one_of("-"),
    ),
    "sparse.cross_hashed": dict(
        inputs=lambda d: [d.array((2, 2), "below 5", "int64", Sparse), d.array((2, 2), "below 5", "int64")],
        num_buckets=number(0, 9),
        hash_key=one_of(3),
    ),
    "sparse.expand_dims": dict(sp_input=_sp, axis=one_of(0, 1, -1, 2)),
    "sparse.eye": dict(num_rows=number(0, 4), num_columns=number(1, 4)),
    "sparse.fill_empty_rows": dict(sp_input=tensor((4, 1), of=Sparse), default_value=lambda d: d.array((), "normal")),
    "sparse.from_dense": dict(tensor=tensor(fill=["ties", "zeros", "normal"])),
    "sparse.mask": dict(
        _call=lambda d: ([Slices(d.dtype, (3, 2), "normal", d.integer(1, 99)), d.pick([[0], [1, 2], []])], {})
    ),
    "sparse.maximum": dict(sp_a=_sp, sp_b=_sp),
    "sparse.minimum": dict(sp_a=_sp, sp_b=_sp),
    "sparse.reduce_max": dict(sp_input=_sp, axis=one_of(0, 1, None, [0, 1]), output_is_sparse=flag),
    "sparse.reduce_sum": dict(sp_input=_sp, axis=one_of(0, 1, None, [0, 1]), output_is_sparse=flag),
    "sparse.reorder": dict(sp_input=_sp),
    "sparse.reset_shape": dict(sp_input=_sp, new_shape=one_of([3, 5], [4, 4])),
    "sparse.reshape": dict(sp_input=_sp, shape=one_of([4, 3], [-1], [2, -1])),
    "sparse.retain": dict(sp_input=tensor((3, 1), of=Sparse), to_retain=one_of([True], [False])),
    "sparse.sampled_addmm": dict(
        indices=one_of([[0, 0], [2, 1], [1, 0]], [[2, 1], [2, 0], [0, 0]]),
        values=tensor((3,)),
        dense_shape=one_of([3, 2]),
        mat1=tensor((3, 4)),
        mat2=tensor((4, 2)),
        beta=one_of(1.0, 0.5),
        alpha=one_of(1.0, 2.0),
        output_type=lambda d: d.dtype,
        _dtypes=["float32", "float64"],
    ),
    "sparse.slice": dict(sp_input=_sp, start=one_of([0, 0], [1, 1]), size=one_of([2, 2], [3, 4], [0, 1])),
    "sparse.softmax": dict(sp_input=_sp, _dtypes=["float32", "float64"]),
    "sparse.sparse_dense_matmul": dict(sp_a=_sp, b=tensor((4, 2)), adjoint_a=never, adjoint_b=never),
    "sparse.split": dict(sp_input=_sp, num_split=number(1, 3), axis=one_of(0, 1)),
    "sparse.to_dense": dict(sp_input=_sp, default_value=one_of(0)),
    "sparse.to_indicator": dict(sp_input=tensor((2, 3), "below 5", "int64", Sparse), vocab_size=number(5, 6)),
    "sparse.transpose": dict(sp_input=_sp, perm=one_of([1, 0], [0, 1])),
    **{f"sparse.segment_{op}": _segments for op in ("mean", "sqrt_n", "sum")},
}
