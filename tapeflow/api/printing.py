"""`tf.print`."""

import sys
from typing import Any

from tapeflow.function.effects import at_every_run

from .formatting import value_text

__all__ = ["print_"]


@at_every_run()
def print_(*inputs: Any, **kwargs: Any) -> None:
    """Prints tensors and anything else, to standard error unless `output_stream` says otherwise.

    `sep` and `end` as Python's print has them; `summarize` entries are shown at both ends of each axis (3; -1 for all).
    `output_stream` is `sys.stdout`, `sys.stderr` or `"file://path"`, to which lines are added.

    >>> import sys
    >>> tf.print("loss", tf.constant(0.25), {"grads": tf.range(10)}, output_stream=sys.stdout)
    loss 0.25 {'grads': [0 1 2 ... 7 8 9]}
    """
    stream = kwargs.pop("output_stream", None)
    summarize = kwargs.pop("summarize", None)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    text = sep.join(value_text(x, 3 if summarize is None else summarize) for x in inputs) + end
    if stream is None:
        sys.stderr.write(text)
    elif hasattr(stream, "write"):
        stream.write(text)
    elif isinstance(stream, str) and stream.startswith("file://"):
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text)
    else:
        raise ValueError(f"Unsupported output stream {stream!r}: give sys.stdout, sys.stderr, a file object or 'file://path'.")


print_.__name__ = print_.__qualname__ = "print"
