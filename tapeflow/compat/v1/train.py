"""`tf.compat.v1.train`: optimizers, learning rates and the global step; all other names are those of `tf.train`."""

from collections.abc import Iterator as _Iterator
from typing import Any

from tapeflow.core.dtypes import int64 as _int64
from tapeflow.core.variables.variable import Variable as _Variable
from tapeflow.io.python_io import tf_record_iterator as _tf_record_iterator
from tapeflow.summary.protos import messages as _messages

from .fallback import falling_back_to as _falling_back_to, graphs_only as _graphs_only
from .optimizers import (
    AdadeltaOptimizer as AdadeltaOptimizer,
    AdagradOptimizer as AdagradOptimizer,
    AdamOptimizer as AdamOptimizer,
    FtrlOptimizer as FtrlOptimizer,
    GradientDescentOptimizer as GradientDescentOptimizer,
    MomentumOptimizer as MomentumOptimizer,
    Optimizer as Optimizer,
    RMSPropOptimizer as RMSPropOptimizer,
)
from .schedules import (
    cosine_decay as cosine_decay,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    natural_exp_decay as natural_exp_decay,
    piecewise_constant as piecewise_constant,
    piecewise_constant_decay as piecewise_constant_decay,
    polynomial_decay as polynomial_decay,
)

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "FtrlOptimizer", "GradientDescentOptimizer",
    "MomentumOptimizer", "Optimizer", "RMSPropOptimizer", "cosine_decay", "create_global_step", "exponential_decay",
    "get_global_step", "get_or_create_global_step", "inverse_time_decay", "natural_exp_decay", "piecewise_constant",
    "piecewise_constant_decay", "polynomial_decay", "summary_iterator",
]  # fmt: skip

_GRAPHS = {
    "Saver": "Use tf.train.Checkpoint, which saves objects instead of a graph's collections.",
    "MonitoredSession": "Call functions instead; tf.keras callbacks and tf.train.CheckpointManager do what hooks did.",
    "MonitoredTrainingSession": "Call functions instead; tf.keras callbacks and tf.train.CheckpointManager do what "
    "hooks did.",
    "SessionRunHook": "Use tf.keras callbacks.",
    "Supervisor": "Use tf.train.CheckpointManager.",
    "start_queue_runners": "Use tf.data.",
    "Coordinator": "Use tf.data.",
    "batch": "Use tf.data.Dataset.batch.",
    "shuffle_batch": "Use tf.data.Dataset.shuffle(...).batch(...).",
}
_same = _falling_back_to("train")
_step: list[_Variable] = []


def __getattr__(name: str) -> Any:
    return _graphs_only(f"train.{name}", _GRAPHS[name]) if name in _GRAPHS else _same(name)


def get_or_create_global_step(graph: Any = None) -> _Variable:
    """The one variable that counts steps.

    >>> tf.compat.v1.train.get_or_create_global_step().dtype
    tf.int64
    """
    if not _step:
        _step.append(_Variable(0, dtype=_int64, trainable=False, name="global_step"))
    return _step[0]


def get_global_step(graph: Any = None) -> _Variable | None:
    """The same, or None if nobody made it.

    >>> tf.compat.v1.train.get_or_create_global_step() is tf.compat.v1.train.get_global_step()
    True
    """
    return _step[0] if _step else None


def create_global_step(graph: Any = None) -> _Variable:
    """The same; ValueError if it is there.

    >>> step = tf.compat.v1.train.get_or_create_global_step()
    >>> tf.compat.v1.train.create_global_step()
    Traceback (most recent call last):
    ValueError: "global_step" already exists.
    """
    if _step:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step()


def summary_iterator(path: Any) -> _Iterator[Any]:
    """The events of an event file that `tf.summary` wrote, as messages.

    Returns:
        Messages.

    >>> import glob, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default(step=3) as writer:
    ...     written = tf.summary.scalar("loss", 0.5)
    >>> writer.close()
    >>> [path] = glob.glob(folder + "/*")
    >>> events = list(tf.compat.v1.train.summary_iterator(path))
    >>> [(event.step, value.tag) for event in events for value in event.summary.value]
    [(3, 'loss')]
    """
    event = _messages().Event
    return (event.FromString(record) for record in _tf_record_iterator(path))
