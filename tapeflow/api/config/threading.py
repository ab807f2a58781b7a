"""`tf.config.threading`: how many threads TensorFlow would use. The numbers are kept; NumPy and XLA have their own."""

from tapeflow.api.config.kept import state

__all__ = [
    "get_inter_op_parallelism_threads", "get_intra_op_parallelism_threads", "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
]  # fmt: skip


def get_inter_op_parallelism_threads() -> int:
    """How many operations may run at once, as it was set. (NumPy runs one at a time.)

    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return state["inter"]


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """How many operations may run at once: kept, and given back. (NumPy runs one at a time.)

    Args:
        num_threads: The number; 0 leaves it open.

    >>> tf.config.threading.set_inter_op_parallelism_threads(0)
    """
    state["inter"] = int(num_threads)


def get_intra_op_parallelism_threads() -> int:
    """How many threads one operation may use, as it was set. (NumPy's BLAS decides by its own variables.)

    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return state["intra"]


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """How many threads one operation may use: kept, and given back. (NumPy's BLAS decides by its own variables.)

    Args:
        num_threads: The number; 0 leaves it open.

    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    state["intra"] = int(num_threads)
