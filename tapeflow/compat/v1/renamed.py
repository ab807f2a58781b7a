"""Functions whose arguments had other names, or another order, in version 1: `keep_dims`, `reduction_indices`, `dim`,
`dimension`."""

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api.arrays import (
    casting as _casting,
    constants as _constants,
    indexing as _indexing,
    properties as _properties,
    shaping as _shaping,
    sorting as _sorting,
)
from tapeflow.api.control import branches_and_loops as _control, py_function as _py_function
from tapeflow.api.linalg import norms as _norms
from tapeflow.api.math import counting as _counting, reductions as _reductions
from tapeflow.api.strings import printing as _printing
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, float32, float64, int32, int64
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import Tensor

from .fallback import lookup

__all__ = [
    "Print", "argmax", "argmin", "boolean_mask", "cond", "confusion_matrix", "convert_to_tensor", "count_nonzero",
    "expand_dims", "gather_nd", "norm", "py_func", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max",
    "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "shape", "size", "squeeze", "to_double", "to_float",
    "to_int32", "to_int64", "transpose", "where", "while_loop",
]  # fmt: skip


# ---- reductions


def _reduced(
    new: Callable[..., Tensor], x: Any, axis: Any, keepdims: bool | None, old_axis: Any, old_keepdims: bool | None
) -> Tensor:
    axis = lookup(axis, old_axis, "axis", "reduction_indices")
    return new(x, axis, bool(lookup(keepdims, old_keepdims, "keepdims", "keep_dims")))


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_sum`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_sum([[1., 2.]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_sum, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_mean`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_mean([[1., 2.]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_mean, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_prod`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_prod([[1., 2.]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_prod, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_max`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_max([[1., 2.]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_max, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_min`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_min([[1., 2.]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_min, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_logsumexp`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_logsumexp([[1., 2.]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_logsumexp, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_all`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_all([[True, False]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_all, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """`tf.reduce_any`, with the old names of its arguments.

    They are `reduction_indices` for `axis` and `keep_dims` for `keepdims`.

    >>> tf.compat.v1.reduce_any([[True, False]], reduction_indices=[1], keep_dims=True).shape
    TensorShape([1, 1])
    """
    return _reduced(_reductions.reduce_any, input_tensor, axis, keepdims, reduction_indices, keep_dims)


def count_nonzero(
    input_tensor: Any = None, axis: Any = None, keepdims: bool | None = None, dtype: Any = int64,
    name: str | None = None, reduction_indices: Any = None, keep_dims: bool | None = None, input: Any = None,
) -> Tensor:  # fmt: skip
    """`tf.math.count_nonzero`, with the old names of its arguments.

    >>> tf.compat.v1.count_nonzero([[0, 1]], keep_dims=True).numpy()
    array([[1]])
    """
    given = lookup(input, input_tensor, "input", "input_tensor")
    axis = lookup(axis, reduction_indices, "axis", "reduction_indices")
    return _reductions.count_nonzero(given, axis, bool(lookup(keepdims, keep_dims, "keepdims", "keep_dims")), dtype)


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = int64
) -> Tensor:
    """`tf.argmax`, with `dimension` as another name of `axis`.

    >>> tf.compat.v1.argmax([[1., 3., 2.]], dimension=1).numpy()
    array([1])
    """
    return _sorting.argmax(input, lookup(axis, dimension, "axis", "dimension"), output_type)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = int64
) -> Tensor:
    """`tf.argmin`, with `dimension` as another name of `axis`.

    >>> tf.compat.v1.argmin([[1., 3., 2.]], dimension=1).numpy()
    array([0])
    """
    return _sorting.argmin(input, lookup(axis, dimension, "axis", "dimension"), output_type)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """`tf.norm`, with `keep_dims` as another name of `keepdims`.

    >>> tf.compat.v1.norm([[3., 4.]], axis=1, keep_dims=True).numpy()
    array([[5.]], dtype=float32)
    """
    return _norms.norm(tensor, ord, axis, bool(lookup(keepdims, keep_dims, "keepdims", "keep_dims")))


# ---- shapes


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """`tf.expand_dims`, with `dim` as another name of `axis`.

    Raises:
        ValueError: If there is no axis.

    >>> tf.compat.v1.expand_dims([1, 2], dim=0).shape
    TensorShape([1, 2])
    """
    axis = lookup(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return _shaping.expand_dims(input, axis)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """`tf.squeeze`, with `squeeze_dims` as another name of `axis`.

    >>> tf.compat.v1.squeeze([[1, 2]], squeeze_dims=[0]).shape
    TensorShape([2])
    """
    return _shaping.squeeze(input, lookup(axis, squeeze_dims, "axis", "squeeze_dims"))


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """`tf.shape`; the second argument is the name.

    >>> tf.compat.v1.shape([[1, 2]], "shape").numpy()
    array([1, 2], dtype=int32)
    """
    return _properties.shape(input, int32 if out_type is None else out_type)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """`tf.size`; the second argument is the name.

    >>> tf.compat.v1.size([[1, 2]], "size").numpy()
    np.int32(2)
    """
    return _properties.size(input, int32 if out_type is None else out_type)


def transpose(a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False) -> Tensor:
    """`tf.transpose`; the third argument is the name.

    >>> tf.compat.v1.transpose([[1, 2]], [1, 0], "t").shape
    TensorShape([2, 1])
    """
    return _shaping.transpose(a, perm, conjugate)


# ---- choosing


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`tf.where` as it was: `x` and `y` have one shape, and a condition for each of their rows chooses whole rows.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[0, 0], [0, 0]]).numpy()
    array([[1, 2],
           [0, 0]], dtype=int32)
    """
    if x is None and y is None:
        return _indexing.where(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    condition, x, y = as_tensor(condition), as_tensor(x), as_tensor(y)
    if tuple(x.sizes) != tuple(y.sizes):
        raise invalid(
            f"x and y of tf.compat.v1.where must have one shape, got {tuple(x.shape)} and {tuple(y.shape)}. tf.where "
            "broadcasts them."
        )
    if condition.sizes.rank == 1 and x.sizes.rank > 1 and condition.sizes[0] == x.sizes[0]:
        condition = _shaping.reshape(condition, [-1] + [1] * (x.sizes.rank - 1))
    elif condition.sizes.rank and tuple(condition.sizes) != tuple(x.sizes):
        raise invalid(
            f"A condition of shape {tuple(condition.shape)} does not fit x of shape {tuple(x.shape)}; tf.where "
            "broadcasts it."
        )
    return _indexing.where(condition, x, y)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Tensor:
    """`tf.boolean_mask`; the third argument is the name.

    >>> tf.compat.v1.boolean_mask([1, 2, 3], [True, False, True], "mask").numpy()
    array([1, 3], dtype=int32)
    """
    return _indexing.boolean_mask(tensor, mask, axis)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Tensor:
    """`tf.gather_nd`; the third argument is the name.

    >>> tf.compat.v1.gather_nd([[1, 2], [3, 4]], [[1, 0]], "pick").numpy()
    array([3], dtype=int32)
    """
    return _indexing.gather_nd(params, indices, batch_dims, None, bad_indices_policy)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """`tf.math.confusion_matrix`; the fourth argument is the dtype.

    >>> tf.compat.v1.confusion_matrix([0, 1], [1, 1], 2, tf.float32).numpy()
    array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    return _counting.confusion_matrix(labels, predictions, num_classes, weights, dtype)


# ---- conversion


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None, dtype_hint: Any = None
) -> Tensor:
    """`tf.convert_to_tensor`, with `preferred_dtype` as another name of `dtype_hint`.

    >>> tf.compat.v1.convert_to_tensor([1, 2], preferred_dtype=tf.float32).dtype
    tf.float32
    """
    return _constants.convert_to_tensor(
        value, dtype, lookup(dtype_hint, preferred_dtype, "dtype_hint", "preferred_dtype")
    )


def to_float(x: Any, name: str | None = None) -> Tensor:
    """`tf.cast(x, tf.float32)`.

    >>> tf.compat.v1.to_float([1, 2]).dtype
    tf.float32
    """
    return _casting.cast(x, float32)


def to_double(x: Any, name: str | None = None) -> Tensor:
    """`tf.cast(x, tf.float64)`.

    >>> tf.compat.v1.to_double([1, 2]).dtype
    tf.float64
    """
    return _casting.cast(x, float64)


def to_int32(x: Any, name: str | None = None) -> Tensor:
    """`tf.cast(x, tf.int32)`.

    >>> tf.compat.v1.to_int32([1, 2]).dtype
    tf.int32
    """
    return _casting.cast(x, int32)


def to_int64(x: Any, name: str | None = None) -> Tensor:
    """`tf.cast(x, tf.int64)`.

    >>> tf.compat.v1.to_int64([1, 2]).dtype
    tf.int64
    """
    return _casting.cast(x, int64)


# ---- control


def cond(
    pred: Any, true_fn: Callable[..., Any] | None = None, false_fn: Callable[..., Any] | None = None,
    strict: bool = False, name: str | None = None, fn1: Callable[..., Any] | None = None,
    fn2: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """`tf.cond`, with `fn1` and `fn2` as other names of its functions. A list of one comes back bare, unless `strict`.

    Returns:
        What the function that was called gives.

    >>> tf.compat.v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)]).numpy()
    np.int32(1)
    """
    true_fn, false_fn = lookup(true_fn, fn1, "true_fn", "fn1"), lookup(false_fn, fn2, "false_fn", "fn2")
    return _unpacked(_control.cond(pred, true_fn, false_fn), strict)


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
    maximum_iterations: Any = None, return_same_structure: bool = False,
) -> Any:  # fmt: skip
    """`tf.while_loop`. Of a single loop variable the value comes back bare, unless `return_same_structure`.

    Returns:
        The loop variables at the end.

    >>> tf.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]).numpy()
    np.int32(3)
    """
    more = {"shape_invariants": shape_invariants, "back_prop": back_prop, "maximum_iterations": maximum_iterations}
    return _unpacked(
        _control.while_loop(cond, body, loop_vars, **{k: v for k, v in more.items() if v is not None}),
        return_same_structure,
    )


def _unpacked(value: Any, as_it_is: bool) -> Any:
    alone = isinstance(value, (list, tuple)) and len(value) == 1 and not hasattr(value, "_fields")
    return value[0] if alone and not as_it_is else value


def Print(
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Prints `data` to standard error, and gives `input_` back; `tf.print` is the new way.

    Args:
        data: The tensors to print.

    >>> tf.compat.v1.Print(tf.constant(1.), [], "here").numpy()
    np.float32(1.0)
    """
    _printing.print_(
        *([] if message is None else [message]), *[as_tensor(value) for value in data], sep="", summarize=summarize
    )
    return as_tensor(input_)


def py_func(
    func: Callable[..., Any], inp: Sequence[Any], Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """`tf.numpy_function`: Python that gets NumPy arrays.

    Returns:
        A tensor, or a list of them where `Tout` is one.

    >>> tf.compat.v1.py_func(lambda x: x + 1, [tf.constant(1.)], tf.float32).numpy()
    np.float32(2.0)
    """
    several = isinstance(Tout, (list, tuple))
    return _py_function.numpy_function(func, inp, [as_dtype(t) for t in Tout] if several else as_dtype(Tout))
