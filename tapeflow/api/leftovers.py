"""Names of `tf` itself that few programs use: imported on first use."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import BY_NUMPY, as_dtype
from tapeflow.core.errors import InvalidArgumentError, UnimplementedError
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.graph import Node as Operation
from tapeflow.ops.fingerprints import farm

from . import nest
from .linalg import sqrtm as matrix_square_root
from .sparse_tensor import SparseTensor

__all__ = [
    "AggregationMethod", "CriticalSection", "Operation", "edit_distance", "fingerprint", "load_library", "load_op_library",
    "make_ndarray", "make_tensor_proto",
    "matrix_square_root",
]  # fmt: skip


class AggregationMethod:
    """How gradients from several uses of a value are added, for `tf.gradients`; they are always added as they come.

    >>> tf.AggregationMethod.DEFAULT
    0
    """

    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class CriticalSection:
    """Runs functions one at a time, also those of several threads.

    >>> total, section = tf.Variable(0.), tf.CriticalSection()
    >>> section.execute(lambda: total.assign_add(2.)).numpy()
    np.float32(2.0)
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self.name = name or "CriticalSection"
        self._lock, self._owner = threading.Lock(), None

    def execute(self, fn: Callable, exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """What `fn()` gives, with nothing else of this section running meanwhile."""
        here: Any = threading.get_ident()
        if self._owner == here:
            raise ValueError(
                f"Attempting to lock the CriticalSection {self.name!r}, in which we are already running. It would wait for ever."
            )
        with self._lock:
            self._owner = here
            try:
                numbers = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)
                return nest.map_structure(lambda leaf: to_tensor(leaf) if isinstance(leaf, numbers) else leaf, fn())
            finally:
                self._owner = None


# ---- edit distance


def edit_distance(hypothesis: SparseTensor, truth: SparseTensor, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """How many insertions, deletions and substitutions lead from each sequence of `hypothesis` to the one of `truth`, the last axis of
    sparse tensors; in parts of the true one's length with `normalize`.

    >>> hypothesis = tf.SparseTensor([[0, 0], [0, 1]], ["c", "t"], [1, 2])
    >>> truth = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["c", "a", "t"], [1, 3])
    >>> tf.edit_distance(hypothesis, truth, normalize=False).numpy()
    array([1.], dtype=float32)
    """
    for given in (hypothesis, truth):
        if not isinstance(given, SparseTensor):
            raise TypeError(f"edit_distance compares the sequences of two SparseTensors, got {given!r}.")
    found, wanted = _sequences(hypothesis), _sequences(truth)
    shape = np.maximum(hypothesis.dense_shape.numpy(), truth.dense_shape.numpy())[:-1]
    out = np.zeros(shape, np.float32)
    for place in np.ndindex(*shape.tolist()):
        a, b = found.get(place, []), wanted.get(place, [])
        steps = _steps(a, b)
        out[place] = steps if not normalize else steps / len(b) if b else np.inf if steps else 0
    return EagerTensor(out)


def _sequences(given: SparseTensor) -> dict[tuple[int, ...], list]:
    out: dict[tuple[int, ...], list] = {}
    for place, value in zip(given.indices.numpy().tolist(), given.values.numpy().tolist()):
        out.setdefault(tuple(place[:-1]), []).append(value)
    return out


def _steps(a: list, b: list) -> int:
    """The Levenshtein distance, a row of its table at a time."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """8 bytes for each row of `data` that tell it from others, by FarmHash: the same on every machine.

    >>> tf.fingerprint(["abc"]).numpy().tolist()
    [[105, 243, 231, 116, 160, 179, 165, 36]]
    """
    if method != "farmhash64":
        raise InvalidArgumentError(None, None, f"Unsupported fingerprint algorithm: {method}. There is farmhash64.")
    rows = np.asarray(to_tensor(data).numpy())
    if not rows.ndim:
        raise InvalidArgumentError(None, None, "fingerprint takes a tensor with rows, got a scalar.")
    if rows.dtype == object:
        hashes = [_of_strings(row) for row in rows]
    else:
        hashes = [farm(np.ascontiguousarray(row).tobytes()) for row in rows]
    return EagerTensor(np.array(hashes, np.uint64).astype("<u8").view(np.uint8).reshape(-1, 8))


def _of_strings(row: Any) -> int:
    """Of a string, its own; of several, that of theirs one after the other."""
    if isinstance(row, bytes):
        return farm(row)
    return farm(b"".join(farm(text).to_bytes(8, "little") for text in np.ravel(row).tolist()))


# ---- tensors as messages


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> Any:
    """A TensorProto message (extra `tensorboard`) of a tensor, an array or Python numbers.

    >>> tf.make_ndarray(tf.make_tensor_proto([[1., 2.]]))
    array([[1., 2.]], dtype=float32)
    """
    from .summary.protos import tensor_message

    tensor = to_tensor(values, None if dtype is None else as_dtype(dtype))
    if shape is not None:
        array = tensor.numpy()
        if verify_shape and tuple(np.shape(array)) != tuple(shape):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {tuple(np.shape(array))}.")
        whole = np.broadcast_to(array, shape) if allow_broadcast or np.size(array) == 1 else np.reshape(array, shape)
        tensor = EagerTensor(np.array(whole))
    return tensor_message(tensor)


def make_ndarray(tensor: Any) -> np.ndarray:
    """The array in a TensorProto message.

    >>> tf.make_ndarray(tf.make_tensor_proto(1, shape=[2]))
    array([1, 1], dtype=int32)
    """
    dtype = next(d for d in BY_NUMPY.values() if d.as_datatype_enum == tensor.dtype)
    shape = [int(dim.size) for dim in tensor.tensor_shape.dim]
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype.np).copy().reshape(shape)
    count = int(np.prod(shape))
    if dtype.name in ("float16", "bfloat16"):
        values = np.array(list(tensor.half_val), np.uint16).view(dtype.np)
    elif dtype.is_complex:
        parts = np.array(list(tensor.scomplex_val if dtype.name == "complex64" else tensor.dcomplex_val), dtype.real_dtype.np)
        values = parts.view(dtype.np)
    else:
        fields = {
            "float32": "float_val",
            "float64": "double_val",
            "int64": "int64_val",
            "bool": "bool_val",
            "string": "string_val",
        }
        held = list(getattr(tensor, fields.get(dtype.name, "int_val")))
        values = np.array(held, object if dtype.name == "string" else dtype.np)
    if not count or not values.size:
        return np.zeros(shape, dtype.np)
    return np.concatenate([values, np.repeat(values[-1:], count - len(values))]).reshape(shape)  # the last one goes on


# ---- libraries in C++


def load_op_library(library_filename: str) -> Any:
    """Operations compiled for TensorFlow, which cannot be used here.

    >>> tf.load_op_library("ops.so")                           # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.core.errors.UnimplementedError: ops.so has operations compiled for TensorFlow...
    """
    raise UnimplementedError(
        None, None, f"{library_filename} has operations compiled for TensorFlow, which tapeflow cannot call. Write them in Python: with "
        "tf.custom_gradient, or as a primitive (CONTRIBUTING.md)."
    )  # fmt: skip


load_library = load_op_library
