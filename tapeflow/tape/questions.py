"""What a tape can be asked about itself: why a gradient is None, what it recorded, and what that costs.

The tape says how it is asked. The answers are worked out in `tapeflow.inspect`, above the tape, which gives them by
`answered_by` when it is imported.
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tapeflow.inspect.explain import Explanation
    from tapeflow.inspect.report import Report


class Answers(Protocol):
    """What `tapeflow.inspect` knows to say of a tape."""

    def explain(self, tape: Any, target: Any, sources: Any) -> "Explanation": ...
    def summary(self, tape: Any, print_fn: Callable[[str], Any] | None) -> None: ...
    def report(self, tape: Any, path: str | os.PathLike[str] | None) -> "Report": ...
    def tape_html(self, tape: Any) -> str: ...


_answers: Answers


def answered_by(answers: Answers) -> None:
    """From now on these are the answers, to whatever tape is asked."""
    global _answers
    _answers = answers


class Questions:
    """The part of `GradientTape` that inspects what was recorded."""

    def explain(self, target: Any, sources: Any) -> "Explanation":
        """Says for each source whether the target's gradient reaches it. If not, says why, at which line, and what to
        do.

        May be called before or after `gradient`, also on a tape that has been used up. With
        `tf.debugging.explain_gradients()` on, it knows the line of every operation.

        Args:
            target: What was, or is to be, differentiated.
            sources: Tensors or variables, alone or in a structure.

        >>> v = tf.Variable(2., name="v")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.stop_gradient(v) * 3.
        >>> report = tape.explain(y, v)[0]
        >>> report.connected, report.kind, report.repair
        (False, 'stop_gradient', 'Leave it out if a gradient should flow.')
        """
        return _answers.explain(self, target, sources)

    def summary(self, print_fn: Callable[[str], Any] | None = None) -> None:
        """Prints what the tape recorded: how many operations, and what it keeps in memory. With
        `tf.debugging.explain_gradients()` on, also by line and layer, with times.

        `print_fn` is called with the text instead of `print`.

        Args:
            print_fn: A function that is called with the text.

        >>> v = tf.Variable([1., 2., 3.])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.exp(v) * v)
        >>> tape.summary()
        3 operations recorded, 24 B kept for the backward walk; watched: 1 variable, 0 tensors
        operation   count  kept
        exp             1  12 B
        mul             1  12 B
        reduce_sum      1   0 B
        """
        _answers.summary(self, print_fn)

    def report(self, path: str | os.PathLike[str] | None = None) -> "Report":
        """Writes a page about the tape for any browser: a picture of the recorded graph, folded by layer and by line,
        and the memory kept by each line. With `tf.debugging.explain_gradients()` on, also shapes, times, gradient
        norms and histograms.

        May be called before or after `gradient`. Without a path nothing is written; in Jupyter the result displays
        itself.

        Args:
            path: The file; None: no file is written.

        >>> v = tf.Variable([1., 2., 3.])
        >>> with tf.debugging.explain_gradients(), tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.exp(v) * v)
        >>> page = tape.report()
        >>> "reduce_sum" in page.html
        True
        """
        return _answers.report(self, path)

    def __repr__(self) -> str:
        """How much it recorded and watches; `summary` says more."""
        recording = getattr(self, "_recording", None)
        if recording is None:
            return "<tf.GradientTape that was never entered>"
        watched = f"variables={len(recording.variables)}, tensors={len(recording.kept)}"
        return f"<tf.GradientTape: results={recording.count()}, {watched}{', spent' * recording.spent}>"

    def _repr_html_(self) -> str:
        """The summary as tables, in Jupyter."""
        return _answers.tape_html(self)
