"""What NumPy's functions give for a tensor that a tape watches: an array that knows which tensor it shows.

It is an array to everything that wants one (`isinstance`, `.tolist()`, `.astype(int)`, `np.random.choice(n, p=…)`,
compiled code), and the tensor to tapeflow's operations, so that the gradient still flows. It cannot be written to,
since what the tape recorded would no longer be what the array shows.
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from tapeflow.core.convert import register_conversion
from tapeflow.core.dtypes import DType
from tapeflow.core.frames import current
from tapeflow.core.tensor import EagerTensor, Tensor

from .numpy_functions import FUNCTIONS


class TapedArray(np.ndarray):
    """A read-only view of the array of a tensor that a tape recorded.

    >>> import numpy as np
    >>> import tapeflow as tf
    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = np.square(x)
    >>> y.tolist(), y.astype(int), tape.gradient(y, x).numpy()
    ([1.0, 4.0], array([1, 4]), array([2., 4.], dtype=float32))
    """

    tensor: EagerTensor | None

    def __array_finalize__(self, obj: Any) -> None:
        self.tensor = None  # a view that NumPy made by itself shows no tensor: it is an array like any other

    def __tf_shown__(self) -> EagerTensor | None:
        """What a tape takes this array for, as a target or a source."""
        return self.tensor

    def plain(self) -> np.ndarray:
        """The same memory as an array of NumPy's own class."""
        return np.ndarray.view(self, np.ndarray)

    def numpy(self) -> Any:
        """A copy that no tape knows, as the method of tensors gives it."""
        self._left(".numpy()")
        return self.plain().copy()[()]

    def _left(self, how: str) -> None:
        if self.tensor is not None:
            for observer in current().audience:
                observer.left(self.tensor, how)

    # ---- what NumPy computes in C without asking anybody

    def __getitem__(self, key: Any) -> Any:
        return self.plain()[key] if self.tensor is None else shown(self.tensor[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ValueError(
            "assignment destination is read-only: a tape recorded how this array was computed. Change a copy, "
            "np.array(x), through which no gradient flows, or use tf.tensor_scatter_nd_update(x, indices, values)."
        )

    def __iter__(self) -> Any:
        return map(self.__getitem__, range(len(self)))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        wanted = dtype.np if isinstance(dtype, DType) else np.dtype(dtype)
        if self.tensor is None or wanted.kind not in "fcV":
            return self.plain().astype(wanted, *args, **kwargs)
        return shown(FUNCTIONS["astype"](self.tensor, wanted))

    def reshape(self, *shape: Any, order: str = "C", **kwargs: Any) -> Any:
        return np.reshape(self, shape[0] if len(shape) == 1 else shape, order)

    def transpose(self, *order: Any) -> Any:
        perm = order[0] if len(order) == 1 and not isinstance(order[0], int) else order
        return np.transpose(self, perm or None)

    def flatten(self, order: Any = "C") -> Any:
        return np.ravel(self, order)

    def view(self, *args: Any, **kwargs: Any) -> np.ndarray:
        return self.plain().view(*args, **kwargs)

    def copy(self, order: Any = "C") -> Self:
        return self  # nobody can change it

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> Self:
        return self

    @property
    def T(self) -> Any:
        return np.transpose(self)

    @property
    def mT(self) -> Any:
        return np.swapaxes(self, -1, -2)

    @property
    def real(self) -> Any:
        return np.real(self.plain() if self.tensor is None else self.tensor)

    @property
    def imag(self) -> Any:
        return np.imag(self.plain() if self.tensor is None else self.tensor)

    # ---- numbers of Python

    def item(self, *args: Any) -> Any:
        self._left(".item()")
        return self.plain().item(*args)

    def tolist(self) -> Any:
        self._left(".tolist()")
        return self.plain().tolist()

    def __float__(self) -> float:
        self._left("float()")
        return float(self.plain())

    def __int__(self) -> int:
        self._left("int()")
        return int(self.plain())

    def __complex__(self) -> complex:
        self._left("complex()")
        return complex(self.plain())

    def __reduce__(self) -> Any:
        return self.plain().__reduce__()

    def __format__(self, spec: str) -> str:
        return format(self.plain()[()], spec)

    # `y += 1` gives the name another array: arrays of which `y` is a part keep their values

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __isub__(self, other: Any) -> Any:
        return self - other

    def __imul__(self, other: Any) -> Any:
        return self * other

    def __itruediv__(self, other: Any) -> Any:
        return self / other

    def __ipow__(self, other: Any) -> Any:
        return self**other


def _as_function(name: str) -> Callable:
    function = getattr(np, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = name
    return method


for _name in (
    "all any argmax argmin argsort clip compress conj conjugate cumprod cumsum diagonal dot max mean min nonzero prod "
    "ravel repeat round searchsorted squeeze std sum swapaxes take trace var"
).split():
    setattr(TapedArray, _name, _as_function(_name))


def watched(value: Any) -> bool:
    """Does a tape watch one of the tensors, or has it no value that NumPy could compute with?"""
    frame = current()
    observers = frame.audience
    if frame.eager and not observers:
        return False
    if type(value) in (list, tuple):
        return any(map(watched, value))
    if not isinstance(value, EagerTensor):
        return isinstance(value, Tensor)
    return any(value.serial in o.watched for o in observers if getattr(o, "differentiates", True))


def shown(out: Any) -> Any:
    """The results of a NumPy function as arrays: what can have a gradient stays with its tensor. Tensors without a
    NumPy array (symbols of a function, rows of a mapped one) stay what they are."""
    if type(out) in (list, tuple):
        return type(out)(map(shown, out))
    if isinstance(out, tuple) and hasattr(out, "_fields"):
        return type(out)(*map(shown, out))
    if type(out) is not EagerTensor or not isinstance(out.array, (np.ndarray, np.generic)):
        return out
    if not out.dtype.is_inexact or not watched(out):
        return out.array.copy()[()] if out.array.ndim else out.array[()]
    array = np.asarray(out.array).view(TapedArray)
    array.tensor = out
    array.flags.writeable = False
    return array


def _to_tensor(array: TapedArray, dtype: DType | None) -> Any:
    tensor: Tensor | None = array.tensor
    if tensor is None:
        return NotImplemented
    return tensor if dtype is None or dtype is tensor.dtype else FUNCTIONS["astype"](tensor, dtype)


register_conversion(TapedArray, _to_tensor, priority=0)
