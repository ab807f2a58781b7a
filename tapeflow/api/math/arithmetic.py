"""Sums, products, and other functions of two numbers: `tf.add`, `tf.math.xlogy`, `tf.maximum`, …"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.convert import convert_group
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import brackets
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, TensorLike

# ---- sums and products


def add(x: AnyTensorLike, y: AnyTensorLike, name: str | None = None) -> Tensor:
    """x + y, with broadcasting. Strings are joined.

    >>> tf.add([[1], [2]], [10, 20]).numpy()
    array([[11, 21],
           [12, 22]], dtype=int32)
    """
    if not isinstance(x, Tensor):
        x, y = convert_group([x, y], ops.add.primitive)
    return ops.add(x, y) if isinstance(y, CompositeTensor) else x + y


@expose(ops.sub)
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y, with broadcasting.

    >>> tf.subtract([5., 7.], 2.).numpy()
    array([3., 5.], dtype=float32)
    """


@expose(ops.mul)
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, element by element, with broadcasting. For the product of matrices see `tf.matmul`.

    >>> tf.multiply([1., 2., 3.], [[1.], [10.]]).numpy()
    array([[ 1.,  2.,  3.],
           [10., 20., 30.]], dtype=float32)
    """


@expose(ops.neg)
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x.

    >>> tf.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)
    """


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype, without broadcasting.

    >>> tf.add_n([tf.constant([1., 2.]), [10., 20.], [100., 200.]]).numpy()
    array([111., 222.], dtype=float32)
    """
    if isinstance(inputs, (Tensor, IndexedSlices)):
        return as_tensor(inputs)
    inputs = list(inputs) if isinstance(inputs, Iterable) else []
    if not inputs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    tensors = convert_group([as_tensor(x) if isinstance(x, IndexedSlices) else x for x in inputs])
    shapes = [tuple(t.sizes) for t in tensors]
    k = next((k for k, shape in enumerate(shapes) if shape != shapes[0]), None)
    if k is not None:
        raise invalid(
            f"Inputs to operation AddN must have the same size and shape. Input 0: {brackets(shapes[0])} != input "
            f"{k}: {brackets(shapes[k])}. `+` broadcasts."
        )
    return ops.add_n(*tensors)


def accumulate_n(
    inputs: Sequence[Any], shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """The sum of a list of tensors, checked against `shape` and `tensor_dtype` when they are given; otherwise
    `tf.add_n`.

    Args:
        tensor_dtype: What the dtype of `inputs` has to be, if given.

    >>> tf.math.accumulate_n([[1, 2], [3, 4]], shape=[2], tensor_dtype=tf.int32).numpy()
    array([4, 6], dtype=int32)
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape.")
    tensors = convert_group(inputs)
    if tensor_dtype is not None and tensors[0].dtype is not as_dtype(tensor_dtype):
        raise TypeError(
            f"The `tensor_dtype` argument is {as_dtype(tensor_dtype).name}, but `input` is of type "
            f"{tensors[0].dtype.name}."
        )
    if shape is not None:
        for t in tensors:
            if not TensorShape(shape).is_compatible_with(t.sizes):
                raise ValueError(f"Shapes {tuple(shape)} and {tuple(t.shape)} are not compatible")
    return add_n(tensors)


@overload
def scalar_mul(scalar: TensorLike, x: IndexedSlices, name: str | None = None) -> IndexedSlices: ...
@overload
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Any:
    """`scalar * x`; the scalar has rank 0. IndexedSlices stay sparse.

    Args:
        scalar: A scalar.
        x: A tensor, or a `tf.IndexedSlices`.

    Returns:
        What `x` is: a tensor, or a `tf.IndexedSlices`.

    Raises:
        ValueError: If `scalar` is none.

    >>> tf.scalar_mul(2., tf.constant([1., 3.])).numpy()
    array([2., 6.], dtype=float32)
    """
    if isinstance(x, IndexedSlices):
        return IndexedSlices(scalar_mul(scalar, x.values), x.indices, x.dense_shape)
    x = as_tensor(x)
    product = ops.mul(*convert_group([x, scalar]))
    if tuple(product.sizes) != tuple(x.sizes) or as_tensor(scalar).ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {tuple(as_tensor(scalar).shape)}.")
    return product


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, but 0 where `y` is 0, even if `x` is infinite or NaN. The gradient of `y` is 0 there too.

    >>> tf.math.multiply_no_nan([np.nan, np.inf, 3.], [0., 0., 2.]).numpy()
    array([0., 0., 6.], dtype=float32)
    """
    x, y = convert_group([x, y])
    blank = ops.logical_and(ops.logical_not(ops.is_finite(x)), ops.equal(y, 0))
    return ops.mul(ops.where(blank, ops.zeros_like(x), x), y)


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """(x - y)², with broadcasting; |x - y|² for complex numbers.

    >>> tf.math.squared_difference([1., 5.], 2.).numpy()
    array([1., 9.], dtype=float32)
    """
    difference = ops.sub(x, y)
    return ops.conj(difference) * difference if difference.dtype.is_complex else ops.square(difference)


# ---- products with 0 * f(y) = 0


def _unless_zero(x: Any, y: Any, function: Callable, harmless: float) -> Tensor:
    """function(x, y) where `x` is not 0, else 0, in value and gradients."""
    x, y = convert_group([x, y])
    if not (x.dtype.is_inexact and y.dtype.is_inexact):
        raise invalid(
            f"This function takes floating and complex tensors, not {x.dtype.name} and {y.dtype.name}. Cast them "
            "with tf.cast."
        )
    zero = ops.equal(x, 0)
    value = function(x, ops.where(zero, harmless, y))
    return ops.where(zero, ops.zeros_like(value), value)


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, but 0 where `x` is 0, whatever `y` is; so are the gradients.

    >>> tf.math.xdivy([0., 1.], [0., 4.]).numpy()
    array([0.  , 0.25], dtype=float32)
    """
    return _unless_zero(x, y, ops.div, 1.0)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x log(y), but 0 where `x` is 0, whatever `y` is: the term of an entropy.

    >>> p = tf.constant([0., 0.5, 0.5])
    >>> (-tf.reduce_sum(tf.math.xlogy(p, p))).numpy().round(4)
    np.float32(0.6931)
    """
    return _unless_zero(x, y, lambda x, y: x * ops.log(y), 1.0)


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x log(1 + y), but 0 where `x` is 0, whatever `y` is.

    >>> tf.math.xlog1py([0., 2.], [-1., 1e-6]).numpy()
    array([0.000000e+00, 1.999999e-06], dtype=float32)
    """
    return _unless_zero(x, y, lambda x, y: x * ops.log1p(y), 0.0)


# ---- the larger and the smaller of two, and other functions of two numbers


@expose(ops.maximum)
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of x and y, element by element; NaN if either is. At a tie the gradient goes to `x`.

    >>> tf.maximum([1., 5., -2.], 0.).numpy()
    array([1., 5., 0.], dtype=float32)
    """


@expose(ops.minimum)
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of x and y, element by element; NaN if either is. At a tie the gradient goes to `x`.

    >>> tf.minimum([1., 5., -2.], 0.).numpy()
    array([ 0.,  0., -2.], dtype=float32)
    """


@expose(ops.atan2)
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), from -π to π.

    >>> tf.atan2([1., -1.], [1., -1.]).numpy().round(4)
    array([ 0.7854, -2.3562], dtype=float32)
    """


@expose(ops.nextafter)
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The nearest representable number after `x1` in the direction of `x2`.

    Args:
        x1: Where to start.
        x2: In which direction to go.

    >>> tf.math.nextafter(1., 2.).numpy() - 1
    np.float32(1.1920929e-07)
    """
