"""tf.experimental.numpy."""

from ..kinds import *

_INTEGERS = dict(_dtypes=["int32", "int64", "uint8", "int8"])
_FLOATS = dict(_dtypes=["float32", "float64"])
_vector = tensor("n")
_list = several(1, 3)
_at_least_2 = dict(_shapes=[(2, 3), (3, 3), (2, 0), (2, 1, 3), (1, 1)])
_sections = lambda d: d.pick([1, 2, 3, [1], [1, 2]])
_pair = dict(x1=same, x2=like)
_quantile = dict(q=one_of(0.5, [0.25, 0.75], 0.0), axis=axis, method=one_of("linear", "nearest", "lower"))
_triangle = lambda d: ([d.integer(0, 4), d.integer(0, 4), d.integer(-1, 2)], {})

_OWN = {
    **dict.fromkeys(
        "bitwise_and bitwise_or bitwise_xor bitwise_invert bitwise_left_shift bitwise_right_shift gcd lcm".split(),
        _INTEGERS,
    ),
    "all": {},
    "any": {},
    "append": dict(arr=same, values=like, axis=one_of(None, 0)),
    "arange": dict(_call=lambda d: ([d.pick([0, 1, 2.5]), d.pick([5, 7.5]), d.pick([1, 2, 0.5])], {})),
    "argmax": dict(axis=axis),
    "argmin": dict(axis=axis),
    "argsort": dict(kind=one_of("stable"), axis=axis),
    "sort": dict(axis=axis, kind=never),
    "around": dict(decimals=number(-1, 3)),
    "array": dict(_call=lambda d: ([d.pick([1, [1, 2], [[1.5]]])], d.pick([{}, {"ndmin": 2}]))),
    "array_split": dict(ary=tensor("5 2"), indices_or_sections=_sections, axis=one_of(0)),
    "astype": dict(dtype=any_dtype, copy=never, device=never),
    "average": dict(weights=of_first("positive"), returned=flag, axis=axis) | _FLOATS,
    "bincount": dict(x=tensor("n", "below 5", "int32"), minlength=number(0, 7), weights=of_first("normal", "float32")),
    "broadcast_arrays": dict(_call=lambda d: ([d.array((3,)), d.array((2, 1))], {})),
    "broadcast_to": dict(array=like, shape=shape((2, 3), (3,), (4, 2, 3))),
    **{f"atleast_{n}d": dict(_call=lambda d: ([d.array()], {})) for n in (1, 2, 3)},
    "clip": dict(a_min=one_of(-1, 0), a_max=one_of(1, 2)),
    "column_stack": dict(tup=_list),
    "dstack": dict(tup=_list),
    "hstack": dict(tup=_list),
    "vstack": dict(tup=_list),
    "concat": dict(arrays=_list, axis=axis, casting=never),
    "stack": dict(arrays=_list, axis=new_axis),
    "compress": dict(condition=one_of([True, False], [True]), a=tensor("3 2"), axis=one_of(None, 0, 1)),
    "convolve": dict(a=tensor("5"), v=tensor("3"), mode=one_of("full", "same", "valid")),
    "cross": dict(a=tensor("* 3"), b=tensor("* 3"), axisa=never, axisb=never, axisc=never, axis=never),
    "cumprod": dict(axis=axis),
    "cumsum": dict(axis=axis),
    "cumulative_prod": dict(axis=axis, include_initial=flag),
    "cumulative_sum": dict(axis=axis, include_initial=flag),
    "nancumsum": dict(axis=axis),
    "diag": dict(v=tensor("3 3"), k=number(-2, 2)),
    "diagflat": dict(v=same, k=number(-2, 2)),
    "diagonal": dict(offset=number(-1, 1), axis1=never, axis2=never) | _at_least_2,
    "diag_indices": dict(n=number(0, 4), ndim=number(1, 3)),
    "diff": dict(n=number(0, 3), axis=axis),
    "digitize": dict(bins=one_of([0.0, 1.0, 2.0]), right=flag) | _FLOATS,
    "dot": dict(a=tensor("n m"), b=tensor("m k")),
    "inner": dict(a=tensor("n m"), b=tensor("k m")),
    "vdot": dict(a=tensor("n"), b=tensor("n")),
    "vecdot": dict(x1=tensor("* n"), x2=tensor("* n"), axis=never),
    "kron": dict(a=tensor("2 3"), b=tensor("1 2")),
    "outer": dict(a=same, b=same),
    "matmul": dict(x1=tensor("* n m"), x2=tensor("* m k")),
    "dsplit": dict(ary=tensor("2 3 4"), indices_or_sections=_sections),
    "hsplit": dict(ary=tensor("2 4"), indices_or_sections=_sections),
    "vsplit": dict(ary=tensor("4 2"), indices_or_sections=_sections),
    "split": dict(ary=tensor("4 2"), indices_or_sections=_sections, axis=one_of(0)),
    "einsum": dict(_call=lambda d: (["ij,jk->ik", d.array((2, 3)), d.array((3, 2))], {})),
    "expand_dims": dict(axis=new_axis),
    "extract": dict(condition=tensor("4", dtype="bool"), arr=tensor("4")),
    "eye": dict(_call=_triangle),
    "tri": dict(_call=_triangle),
    "identity": dict(_call=lambda d: ([d.integer(0, 4)], {})),
    "full": dict(shape=shape(), fill_value=one_of(1, 2.5)),
    "full_like": dict(fill_value=one_of(1, 2), shape=never),
    "flip": dict(axis=axes),
    "fliplr": _at_least_2,
    "flipud": {},
    "geomspace": dict(start=one_of(1.0, 2.0), stop=one_of(8.0, 100.0), num=number(1, 5), endpoint=flag, axis=never),
    "linspace": dict(
        start=one_of(1.0, 2.0), stop=one_of(8.0, 100.0), num=number(1, 5), endpoint=flag, retstep=flag, axis=never
    ),
    "logspace": dict(
        start=one_of(1.0, 2.0), stop=one_of(3.0), num=number(1, 5), endpoint=flag, base=one_of(2.0), axis=never
    ),
    "interp": dict(
        xp=one_of([0.0, 1.0, 2.0]), fp=one_of([1.0, 3.0, 2.0]), left=one_of(-1.0), right=one_of(9.0), period=never
    )
    | _FLOATS,
    "isclose": dict(b=like, equal_nan=flag, rtol=one_of(0.1), atol=one_of(0.1)),
    "allclose": dict(b=like, equal_nan=flag, rtol=one_of(0.1), atol=one_of(0.1)),
    "array_equal": dict(a1=same, a2=same),
    "isin": dict(
        element=tensor(fill="ties"), test_elements=one_of([1, 2], [0]), assume_unique=never, invert=flag, kind=never
    ),
    "ix_": dict(_call=lambda d: ([d.array((2,)), d.array((3,))], {}), _dtypes=["int32", "int64"]),
    "meshgrid": dict(_call=lambda d: ([d.array((2,)), d.array((3,))], {"indexing": d.pick(["xy", "ij"])})),
    "median": dict(axis=axis) | _FLOATS,
    "percentile": _quantile | dict(q=one_of(50, [25, 75])) | _FLOATS,
    "quantile": _quantile | _FLOATS,
    "moveaxis": dict(source=axis, destination=axis),
    "swapaxes": dict(axis1=axis, axis2=axis),
    "rollaxis": dict(axis=axis, start=never),
    "permute_dims": dict(axes=permutation),
    "matrix_transpose": _at_least_2,
    "nan_to_num": dict(copy=never, nan=one_of(7.0), posinf=one_of(9.0), neginf=one_of(-9.0)),
    "modf": _FLOATS,
    "nanstd": dict(ddof=number(0, 1)) | _FLOATS,
    "nanvar": dict(ddof=number(0, 1)) | _FLOATS,
    "var": dict(ddof=number(0, 1)),
    "pad": dict(
        array=same,
        pad_width=per_axis(lambda d: [d.integer(0, 2), d.integer(0, 1)]),
        mode=one_of("constant", "reflect", "symmetric"),
    ),
    "polyval": dict(p=tensor("3"), x=same),
    "vander": dict(x=_vector, N=number(0, 4), increasing=flag),
    "trapezoid": dict(x=never, dx=one_of(0.5), axis=axis) | _FLOATS,
    "repeat": dict(repeats=number(0, 3), axis=axis),
    "reshape": dict(newshape=one_of([-1], [1, -1]), order=never),
    "roll": dict(shift=number(-3, 3), axis=axis),
    "rot90": dict(k=number(-1, 4), axes=never) | _at_least_2,
    "ravel": dict(order=never),
    "flatten": dict(order=never),
    "copy": {},
    "size": dict(axis=axis),
    "squeeze": dict(axis=axes),
    "tile": dict(_call=lambda d: ([d.array(), d.pick([2, [1, 2], [0]])], {})),
    "unstack": dict(axis=axis),
    "searchsorted": dict(a=tensor("4", "sorted"), v=tensor("3"), side=one_of("left", "right"), sorter=never) | _FLOATS,
    "select": dict(
        _call=lambda d: ([[d.array(dtype="bool"), d.array(dtype="bool")], [d.array(), d.array()]], {"default": 0})
    ),
    "take": dict(indices=one_of([0, 1], 0, [[-1]]), axis=axis, mode=one_of("clip", "wrap")),
    "take_along_axis": dict(
        arr=tensor("3 4"), indices=lambda d: d.array((3, 2), "below 3", "int32"), axis=lambda d: 1
    ),
    "tensordot": dict(a=tensor("2 3 4"), b=tensor("4 3 2"), axes=one_of(0, 1, [[2], [0]])),
    "trace": dict(offset=number(-1, 1), axis1=never, axis2=never) | _at_least_2,
    "tril": dict(m=tensor("* n m"), k=number(-2, 2)),
    "triu": dict(m=tensor("* n m"), k=number(-2, 2)),
    "unique": dict(
        ar=tensor(fill="ties"), return_index=flag, return_inverse=flag, return_counts=flag, axis=never, equal_nan=never
    ),
    "where": dict(condition=lambda d: d.array(dtype="bool"), x=like, y=like),
    "zeros": dict(_call=lambda d: ([shape()(d)], {})),
    "ones": dict(_call=lambda d: ([shape()(d)], {})),
    "angle": dict(z=same, deg=flag),
    "imag": dict(val=same),
    "real": dict(val=same),
    "isscalar": dict(num=same),
}
TABLE = {f"experimental.numpy.{name}": own for name, own in _OWN.items()}
