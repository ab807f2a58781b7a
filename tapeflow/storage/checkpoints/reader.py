"""Reading single tensors of a checkpoint, ours or TensorFlow's, without the objects that they belong to."""

import os
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import NotFoundError

from .bundle import TensorFlowCheckpoint
from .graph import ObjectGraph
from .state import latest_checkpoint
from .storage import SUFFIX, StoredCheckpoint

__all__ = ["CheckpointReader", "list_variables", "load_checkpoint", "load_variable", "open_checkpoint"]


class Source(Protocol):
    """An open checkpoint: its objects, if it says which, and its tensors by key."""

    path: str
    graph: ObjectGraph | None
    foreign: bool  # another library wrote it

    def names(self) -> list[str]: ...
    def shape(self, key: str) -> tuple[int, ...]: ...
    def dtype(self, key: str) -> str: ...
    def read(self, key: str) -> np.ndarray: ...
    def verify(self) -> None: ...


def open_checkpoint(prefix: str) -> Source:
    """The checkpoint under a path such as `folder/ckpt-1`; the name of one of its files will do. NotFoundError where
    there is none."""
    if os.path.isfile(prefix + SUFFIX):
        return StoredCheckpoint(prefix + SUFFIX)
    if os.path.isfile(prefix + ".index"):
        return TensorFlowCheckpoint(prefix)
    if prefix.endswith(SUFFIX) and os.path.isfile(prefix):
        return StoredCheckpoint(prefix)
    if prefix.endswith(".index") and os.path.isfile(prefix):
        return TensorFlowCheckpoint(prefix.removesuffix(".index"))
    if os.path.isfile(
        os.path.join(prefix, "variables", "variables.index")
    ):  # a model that TensorFlow saved with tf.saved_model.save
        return TensorFlowCheckpoint(os.path.join(prefix, "variables", "variables"))
    hint = ""
    if os.path.isfile(prefix):
        hint = (
            " It is a file, but not of a checkpoint: what Keras saved is read by model.load_weights or "
            "tf.keras.models.load_model."
        )
    elif os.path.isdir(prefix):
        hint = " It is a folder: give tf.train.latest_checkpoint(folder)."
    elif near := sorted(set(_checkpoints_beside(prefix))):
        hint = f" In that folder there are {', '.join(near[:5])}{', ...' if len(near) > 5 else ''}."
    raise NotFoundError(
        None,
        None,
        f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}.{hint}",
    )


def _checkpoints_beside(prefix: str) -> Iterator[str]:
    folder = os.path.dirname(prefix) or "."
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        for suffix in (SUFFIX, ".index"):
            if name.endswith(suffix):
                yield name.removesuffix(suffix)


class CheckpointReader:
    """What `tf.train.load_checkpoint` gives: the tensors of a checkpoint by key.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(step=tf.Variable(7)).write(tempfile.mkdtemp() + "/ckpt")
    >>> reader = tf.train.load_checkpoint(path)
    >>> reader.get_variable_to_shape_map()
    {'step/.ATTRIBUTES/VARIABLE_VALUE': []}
    >>> reader.get_tensor('step/.ATTRIBUTES/VARIABLE_VALUE')
    np.int32(7)
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes by key."""
        return {key: list(self._source.shape(key)) for key in self._source.names()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes by key."""
        return {key: as_dtype(self._source.dtype(key)) for key in self._source.names()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Is there a tensor of that key?"""
        return tensor_str in self._source.names()

    def get_tensor(self, tensor_str: str) -> Any:
        """A tensor as a NumPy array, or as a NumPy scalar where it has no axis."""
        if not self.has_tensor(tensor_str):
            raise NotFoundError(
                None,
                None,
                f"Key {tensor_str} not found in checkpoint {self._source.path}. "
                "tf.train.list_variables(path) lists the keys.",
            )
        return self._source.read(tensor_str)[()]

    def debug_string(self) -> bytes:
        """The tensors, a line for each."""
        lines = [f"{key} ({self._source.dtype(key)}) {list(self._source.shape(key))}" for key in self._source.names()]
        return "\n".join(lines).encode()


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader for a checkpoint, or for the latest one in a folder.

    Raises:
        NotFoundError: If there is no checkpoint.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = tf.train.Checkpoint(v=tf.Variable([1., 2.])).save(folder + "/ckpt")
    >>> tf.train.load_checkpoint(folder).has_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    True
    """
    path = os.fsdecode(ckpt_dir_or_file)
    found = latest_checkpoint(path) if os.path.isdir(path) else None
    return CheckpointReader(open_checkpoint(path if found is None else found))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """The keys and shapes of a checkpoint's tensors, sorted.

    Raises:
        NotFoundError: If there is no checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(w=tf.Variable([[1., 2.]])).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.list_variables(path)
    [('w/.ATTRIBUTES/VARIABLE_VALUE', [1, 2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """One tensor of a checkpoint, by key.

    Args:
        name: The key.

    Returns:
        A NumPy array, or a NumPy scalar.

    Raises:
        NotFoundError: If there is no such key, or no checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(w=tf.Variable([1., 2.])).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.load_variable(path, "w/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
