"""`tf.train.experimental`: state of Python objects in a checkpoint."""

import abc
from typing import Any

import numpy as np

__all__ = ["PythonState"]


class PythonState(abc.ABC):
    """Base class for objects whose state is a text: `serialize()` gives it when a checkpoint is written,
    `deserialize(text)` takes it back.

    >>> import tempfile
    >>> class Best(tf.train.experimental.PythonState):
    ...     loss = 9.5
    ...     def serialize(self):
    ...         return str(self.loss)
    ...     def deserialize(self, text):
    ...         self.loss = float(text)
    >>> best = Best()
    >>> path = tf.train.Checkpoint(best=best).write(tempfile.mkdtemp() + "/ckpt")
    >>> best.loss = 1.
    >>> _ = tf.train.Checkpoint(best=best).read(path)
    >>> best.loss
    9.5
    """

    @abc.abstractmethod
    def serialize(self) -> str:
        """The state, as a text."""

    @abc.abstractmethod
    def deserialize(self, string_value: Any) -> None:
        """Takes the state back.

        Args:
            string_value: What `serialize` gave.
        """

    def _serialize_to_tensors(self) -> dict[str, np.ndarray]:
        text = self.serialize()
        return {"py_state": np.array(text.encode() if isinstance(text, str) else text, object)}

    def _restore_from_tensors(self, values: dict[str, np.ndarray]) -> None:
        self.deserialize(values["py_state"].item().decode())
