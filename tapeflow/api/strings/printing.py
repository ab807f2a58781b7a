"""`tf.print`."""

import sys
from typing import Any

from tapeflow.core.dtypes import string
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import Tensor
from tapeflow.function.tracing.effects import at_every_run

from .formatting import value_text

__all__ = ["print_"]


def print_(*inputs: Any, **kwargs: Any) -> None:
    """Prints tensors and anything else, to standard error unless `output_stream` says otherwise.

    `sep` and `end` as Python's print has them; `summarize` entries are shown at both ends of each axis (3; -1 for
    all). `output_stream` is `sys.stdout`, `sys.stderr` or another open file, `"file://path"`, to which lines are
    added, or a function that writes to a log, as `logging.info` is.

    Args:
        **kwargs: `output_stream`, `summarize`, `sep`, `end`.

    >>> import sys
    >>> tf.print("loss", tf.constant(0.25), {"grads": tf.range(10)}, output_stream=sys.stdout)
    loss 0.25 {'grads': [0 1 2 ... 7 8 9]}
    """
    stream, summarize = kwargs.pop("output_stream", None), kwargs.pop("summarize", None)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    summarize = 3 if summarize is None else summarize
    if not isinstance(summarize, int):
        raise TypeError(f"summarize is how many entries to show at both ends, a whole number; got {summarize!r}.")
    known = stream is None or hasattr(stream, "write") or callable(stream)
    if not known and not (isinstance(stream, str) and stream.startswith("file://")):
        raise ValueError(
            f"Unsupported output stream {stream!r}: give sys.stdout, sys.stderr, an open file, 'file://path' or a "
            "function such as logging.info."
        )
    _print(inputs, sep, end, summarize, stream)


@at_every_run()
def _print(inputs: tuple, sep: str, end: str, summarize: int, stream: Any) -> None:
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0].dtype is string and not inputs[0].ndim:
        text = bytes(inputs[0].numpy()).decode(errors="replace") + end  # a text alone is printed as it is
    else:
        text = sep.join(value_text(x, summarize) for x in inputs) + end
    if stream is None:
        sys.stderr.write(text)
    elif hasattr(stream, "write"):
        stream.write(text)
    elif callable(stream):
        stream(text.removesuffix("\n"))  # a log has its own lines
    else:
        _add_to_file(stream.removeprefix("file://"), text)


def _add_to_file(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise InvalidArgumentError(None, None, f"tf.print cannot write to 'file://{path}': {error}.") from error


print_.__name__ = print_.__qualname__ = "print"
