"""What inspection adds to the tape: methods that are defined above it."""

from tapeflow.tape.gradient_tape import GradientTape

from .explain import Explanation, explain
from .notebook import explanation_html, tape_html
from .report import report
from .summary import summary

GradientTape.explain = explain  # type: ignore[attr-defined]
GradientTape.summary = summary  # type: ignore[attr-defined]
GradientTape.report = report  # type: ignore[attr-defined]
GradientTape._repr_html_ = tape_html  # type: ignore[attr-defined]
Explanation._repr_html_ = explanation_html  # type: ignore[attr-defined]
