"""The functions of tf itself: making, shaping, indexing."""

from ..kinds import *

_stacked = lambda d: [d.array(d.shape) for _ in range(d.integer(1, 3))]
_nd = dict(
    indices=lambda d: d.array(d.pick([(2, 1), (3, 1), (1, 1), (0, 1)]), "below 4", d.pick(["int32", "int64"])),
    updates=lambda d: d.array((d.made["indices"].shape[0], 3)),
)
_scatter = dict(tensor=tensor((4, 3)), bad_indices_policy=never) | _nd
_compared = dict(_shapes=[(3,), (5,), (2, 3), (0,), (1, 1)], _dtypes=["float32", "float64", "int32", "int64"])

TABLE = {
    "argsort": dict(
        values=same, direction=one_of("ASCENDING", "DESCENDING"), stable=one_of(True), _dtypes=FLOATS + INTEGERS
    ),
    "sort": dict(values=same, direction=one_of("ASCENDING", "DESCENDING"), _dtypes=FLOATS + INTEGERS),
    "batch_to_space": dict(
        input=tensor((4, 2, 3, 1)),
        block_shape=one_of([2, 2], [1, 2], [4, 1]),
        crops=one_of([[0, 0], [0, 0]], [[0, 1], [1, 0]]),
    ),
    "space_to_batch_nd": dict(
        input=tensor("b 2 4 1"),
        block_shape=one_of([2, 2], [1, 2]),
        paddings=one_of([[0, 0], [0, 0]], [[0, 2], [2, 0]]),
    ),
    "nn.space_to_batch": dict(
        input=tensor("b 2 4 1"),
        block_shape=one_of([2, 2], [1, 2]),
        paddings=one_of([[0, 0], [0, 0]], [[0, 2], [2, 0]]),
    ),
    "bitcast": dict(
        input=same,
        type=dtypes("float32", "int32", "uint8", "int64", "float64", "complex64", "float16"),
        _dtypes=["float32", "int32", "int64", "float64", "uint8"],
    ),
    "boolean_mask": dict(
        tensor=same,
        mask=lambda d: d.array(d.first.shape[:1] if d.chance(0.7) else d.first.shape, dtype="bool"),
        axis=one_of(None, 0),
        _shapes=[(3,), (2, 3), (0,), (3, 1)],
    ),
    "broadcast_dynamic_shape": dict(shape_x=shape(), shape_y=shape((1,), (), (3,))),
    "broadcast_to": dict(input=like, shape=shape((2, 3), (3,), (2, 0), (4, 2, 3), (1, 3))),
    "cast": dict(x=same),
    "saturate_cast": dict(value=same, dtype=any_dtype),
    "clip_by_value": dict(t=same, clip_value_min=one_of(-1, 0), clip_value_max=one_of(1, 2, 0)),
    "clip_by_norm": dict(t=same, clip_norm=one_of(1.0, 0.5, 100.0, 0.0), axes=axes, _dtypes=FLOATS),
    "clip_by_global_norm": dict(t_list=several(), clip_norm=one_of(1.0, 0.5, 100.0), use_norm=never, _dtypes=FLOATS),
    "complex": dict(real=same, imag=like, _dtypes=["float32", "float64"]),
    "concat": dict(values=_stacked, axis=axis),
    "constant": dict(
        value=one_of(1, 1.5, [1, 2], [[1.0], [2.0]], True, [], "a", [1, 2.5], 3j), dtype=any_dtype, shape=never
    ),
    "convert_to_tensor": dict(
        value=one_of(1, 1.5, [1, 2], [[1.0], [2.0]], True, [], "a", [1, 2.5]), dtype=any_dtype, dtype_hint=any_dtype
    ),
    "dynamic_partition": dict(
        data=tensor((4, 2)),
        partitions=lambda d: d.array(d.pick([(4,), (4, 2)]), "below 3", "int32"),
        num_partitions=number(3, 4),
    ),
    "dynamic_stitch": dict(
        _call=lambda d: (
            [[d.array((n,), "below 5", "int32") for n in (2, 3)], [d.array((n, *d.shape[1:])) for n in (2, 3)]],
            {},
        )
    ),
    "edit_distance": dict(
        hypothesis=tensor((2, 3), "below 4", "int64", Sparse),
        truth=tensor((2, 3), "below 4", "int64", Sparse),
        normalize=flag,
    ),
    "ensure_shape": dict(x=same, shape=lambda d: [n if d.chance(0.6) else None for n in d.first.shape]),
    "expand_dims": dict(axis=new_axis),
    "extract_volume_patches": dict(
        input=tensor("b 3 3 3 2"),
        ksizes=one_of([1, 2, 2, 2, 1], [1, 1, 2, 1, 1]),
        strides=one_of([1, 1, 1, 1, 1], [1, 2, 1, 2, 1]),
        padding=one_of("VALID", "SAME"),
    ),
    "fill": dict(dims=shape(), value=one_of(1, 2.5, True, "a", float("nan"))),
    "fingerprint": dict(data=tensor("3 2", dtype=["uint8", "float32", "int64"])),
    "gather": dict(
        params=same,
        indices=indices(3),
        axis=axis,
        batch_dims=one_of(0, 1),
        _shapes=[(3,), (3, 3), (3, 4), (3, 0), (3, 3, 3)],
    ),
    "gather_nd": dict(
        params=tensor((3, 4)),
        indices=lambda d: d.array(
            d.pick([(2, 1), (2, 2), (1,), (2,), (0, 2), (3, 2, 1)]), "below 3", d.pick(["int32", "int64"])
        ),
        bad_indices_policy=never,
        batch_dims=one_of(0),
    ),
    "guarantee_const": {},
    "histogram_fixed_width": dict(
        values=same,
        value_range=one_of([0.0, 5.0], [-2.0, 2.0]),
        nbins=number(1, 6),
        dtype=index_dtype,
        _dtypes=["float32", "float64", "int32"],
    ),
    "histogram_fixed_width_bins": dict(
        values=same,
        value_range=one_of([0.0, 5.0], [-2.0, 2.0]),
        nbins=number(1, 6),
        dtype=index_dtype,
        _dtypes=["float32", "float64", "int32"],
    ),
    "identity_n": dict(input=several()),
    "linspace": dict(start=one_of(0.0, -1.5), stop=one_of(1.0, 7.25), num=number(1, 6), axis=one_of(0)),
    "meshgrid": dict(
        _call=lambda d: (
            [d.array((d.integer(0, 3),)) for _ in range(d.integer(1, 3))],
            {"indexing": d.pick(["xy", "ij"])},
        )
    ),
    "one_hot": dict(
        indices=tensor(fill="below 5", dtype=["int32", "int64", "uint8"]),
        depth=number(0, 5),
        on_value=one_of(2.0, 5.0),
        off_value=one_of(-1.0),
        axis=new_axis,
        dtype=dtypes("float32"),
    ),
    "pad": dict(
        tensor=same,
        paddings=per_axis(lambda d: [d.integer(0, 2), d.integer(0, 1)]),
        mode=one_of("CONSTANT", "REFLECT", "SYMMETRIC", "constant"),
        constant_values=one_of(0, 1, 3),
    ),
    "parallel_stack": dict(values=_stacked),
    "range": dict(
        start=one_of(0, 1, 3, 2.5, -1),
        limit=one_of(5, 7, 3.5, 0),
        delta=one_of(1, 2, 0.5, -1),
        dtype=dtypes("int32", "float32", "int64", "float64"),
    ),
    "repeat": dict(
        repeats=lambda d: (
            d.integer(0, 3) if d.chance(0.6) or not d.rank else [d.integer(0, 2) for _ in range(d.first.shape[0])]
        ),
        axis=lambda d: 0 if d.rank else None,
    ),
    "required_space_to_batch_paddings": dict(
        input_shape=one_of([3, 4], [5, 5]), block_shape=one_of([2, 3], [1, 4]), base_paddings=one_of([[1, 0], [0, 2]])
    ),
    "reshape": dict(
        shape=lambda d: d.pick(
            [[-1], list(d.first.shape[::-1]), [*d.first.shape, 1], [1, -1], [2, -1], list(d.first.shape), []]
        )
    ),
    "reverse": dict(axis=some_axes),
    "reverse_sequence": dict(
        input=tensor("3 4 2"),
        seq_lengths=lambda d: d.array((3,), "below 5", d.pick(["int32", "int64"])),
        seq_axis=one_of(1),
        batch_axis=one_of(0),
    ),
    "roll": dict(shift=number(-4, 4), axis=axis),
    "scatter_nd": dict(shape=one_of([4, 3], [5, 3]), bad_indices_policy=never) | _nd,
    **{f"tensor_scatter_nd_{op}": _scatter for op in ("add", "max", "min", "sub")},
    "tensor_scatter_nd_update": dict(
        tensor=tensor((4, 3)),
        indices=lambda d: d.array((3, 1), "permutation", "int32"),
        updates=lambda d: d.array((3, 3)),
    ),
    "searchsorted": dict(
        sorted_sequence=tensor("4", "sorted"),
        values=tensor("3"),
        side=one_of("left", "right"),
        out_type=index_dtype,
        _dtypes=["float32", "float64", "int32"],
    ),
    "sequence_mask": dict(
        lengths=tensor(fill="below 5", dtype=["int32", "int64"]), maxlen=number(0, 6), dtype=any_dtype
    ),
    "shape_n": dict(input=several()),
    "slice": dict(input_=same, begin=per_axis(number(0, 1)), size=per_axis(number(-1, 1))),
    "split": dict(value=same, num_or_size_splits=one_of(1, 2, 3, [1, 2], [0, 3], [-1, 1]), num=never, axis=axis),
    "squeeze": dict(axis=axes),
    "stack": dict(values=_stacked, axis=new_axis),
    "unstack": dict(num=never, axis=axis),
    "strided_slice": dict(
        input_=same,
        begin=per_axis(number(-2, 2)),
        end=per_axis(number(-2, 4)),
        strides=per_axis(one_of(1, 1, 2, -1)),
        begin_mask=number(0, 3),
        end_mask=number(0, 3),
        ellipsis_mask=never,
        new_axis_mask=never,
        shrink_axis_mask=never,
        var=never,
    ),
    "tile": dict(multiples=per_axis(number(0, 3))),
    "transpose": dict(perm=permutation, conjugate=flag),
    "unique": dict(x=tensor(fill=["ties", "special"]), out_idx=index_dtype) | _compared,
    "unique_with_counts": dict(x=tensor(fill=["ties", "special"]), out_idx=index_dtype) | _compared,
    "unravel_index": dict(
        indices=tensor(fill="below 6", dtype="int32"), dims=one_of([2, 3], [6], [3, 1, 2]), _shapes=[(), (3,), (0,)]
    ),
    "where": dict(condition=lambda d: d.array(dtype="bool"), x=like, y=like),
    "ones": dict(shape=shape()),
    "zeros": dict(shape=shape()),
}
