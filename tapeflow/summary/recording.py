"""Recording one summary with the default writer: now, or at every run of the graph that it belongs to."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import DataLossError
from tapeflow.core.primitive import Spec
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.effects import later
from tapeflow.function.tracing.regions import inside_a_graph

from .protos import messages, tensor_message
from .state import chosen_step, state, wanted
from .writers import SummaryWriter

__all__ = ["recorded", "write", "write_raw_pb"]

_ONE_TRUTH = Spec(shape=(), dtype=np.dtype(bool))


def recorded(make: Callable[..., Any], data: Any, step: Any, name: str) -> Tensor:
    """Writes the Summary message that `make(data)` gives, and says so; or does not, if there is no writer or nobody
    wants it.

    In a graph the writer and the step, if it is a number, are those of the trace, and `make` is called at every run.
    """
    condition = wanted()
    if condition is False:
        return EagerTensor(np.bool_(False))
    arguments = (state.writer, make, condition, data, chosen_step(step))
    if inside_a_graph():
        [done] = later(_written, arguments, {}, f"tf.summary.{name}", [_ONE_TRUTH])
        return done
    return _written(*arguments)[0]


def _written(writer: SummaryWriter, make: Callable, condition: Any, data: Any, step: Any) -> tuple[EagerTensor]:
    condition = bool(condition)
    if condition:
        writer.add(step=int(step), summary=make(data))
    return (EagerTensor(np.bool_(condition)),)


def write(tag: Any, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Tensor:
    """Writes any tensor under a tag; `metadata` (a SummaryMetadata message) says which of TensorBoard's plugins shows
    it.

    The tensor may be a function that makes it, which is called if it is written. Returns whether it was.

    Args:
        tag: The name, a string.
        metadata: The message, or its bytes.

    Raises:
        ValueError: If there is no step.

    >>> tf.summary.write("embedding", tf.zeros([2, 3]), step=0).numpy()       # no writer
    np.False_
    """
    if wanted() is False:
        return EagerTensor(np.bool_(False))
    tag = tag.numpy() if isinstance(tag, EagerTensor) else tag
    tag = tag.decode() if isinstance(tag, bytes) else str(tag)
    data = tensor() if callable(tensor) and not isinstance(tensor, Tensor) else tensor
    return recorded(lambda data: one_value(tag, data, metadata), as_tensor(data), step, "write")


def one_value(tag: str, tensor: Any, metadata: Any) -> Any:
    """The Summary message with one tensor in it."""
    value = messages().Summary.Value(tag=tag, tensor=tensor_message(tensor))
    if metadata is not None:  # of this or another library's copy of the message: what it is, is its bytes
        value.metadata.ParseFromString(metadata if isinstance(metadata, bytes) else metadata.SerializeToString())
    return messages().Summary(value=[value])


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Writes serialised Summary messages, a string tensor of any shape. Returns whether they were written.

    >>> tf.summary.experimental.write_raw_pb(b"", step=0).numpy()             # no writer
    np.False_
    """
    return (
        recorded(_from_bytes, as_tensor(tensor), step, "write_raw_pb")
        if wanted() is not False
        else EagerTensor(np.bool_(False))
    )


def _from_bytes(serialized: Any) -> Any:
    joined = messages().Summary()
    for k, text in enumerate(np.ravel(np.asarray(serialized.numpy(), object)).tolist()):
        try:
            joined.MergeFromString(text)
        except Exception as error:  # protobuf's DecodeError, whose place depends on its implementation
            raise DataLossError(
                None, None, f"Bad tf.compat.v1.Summary binary proto tensor string at index {k}"
            ) from error
    return joined
