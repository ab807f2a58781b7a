"""What inspection adds to the tape: methods that are defined above it."""

from tapeflow.tape.gradient_tape import GradientTape

from .explain import explain
from .summary import summary

GradientTape.explain = explain  # type: ignore[attr-defined]
GradientTape.summary = summary  # type: ignore[attr-defined]
