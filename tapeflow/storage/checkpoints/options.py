"""`tf.train.CheckpointOptions`."""

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["CheckpointOptions"]


class CheckpointOptions:
    """How a checkpoint is written. Only the callbacks matter here: files are small in number and always complete.

    Args:
        experimental_io_device: Taken and not used.
        experimental_enable_async_checkpoint: Taken and not used: a checkpoint is on the disk when `save` returns.
        experimental_write_callbacks: Functions that are called after writing, of the path or of nothing.
        enable_async: Taken and not used, as above.
        experimental_skip_slot_variables: Taken and not used.
        experimental_sharding_callback: Taken and not used.

    >>> options = tf.train.CheckpointOptions(experimental_write_callbacks=[lambda path: print("written")])
    >>> import tempfile
    >>> _ = tf.train.Checkpoint(v=tf.Variable(1.)).write(tempfile.mkdtemp() + "/ckpt", options)
    written
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = self.experimental_enable_async_checkpoint = (
            enable_async or experimental_enable_async_checkpoint
        )
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
