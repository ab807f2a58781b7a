"""`tapeflow demo`: a small network is trained, and then everything is asked that one may want to know about gradients.

`spirals` is the program that a user would write, `tour` has the programs of the other chapters; `screen` and `picture`
draw.
"""

import contextlib
import inspect
import io
import logging
import math
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import tapeflow as tf

from . import tour
from .picture import draw
from .screen import Screen
from .spirals import Spirals

__all__ = ["run"]

QUICK = 300  # steps

NEXT = """
What to try next:
  python -m tapeflow demo --hidden 6            is that enough to follow three spirals?
  python -m tapeflow demo --activation sigmoid  how much smaller is the gradient of the first layer?
  python -m tapeflow demo --learning-rate 2     too long a stride; does --clip 0.05 save it?
  python -m tapeflow demo --help                all the options
The programs are in tapeflow/demo/; docs/inspection.md explains the tools, examples/ has longer programs."""


def run(
    steps: int,
    hidden: int,
    activation: str,
    learning_rate: float,
    clip: float,
    noise: float,
    seed: int,
    out: str,
    quick: bool = False,
) -> int:
    """The whole demo; the exit status."""
    began = time.perf_counter()
    if isinstance(sys.stdout, io.TextIOWrapper):  # names of files may have letters that a terminal does not
        sys.stdout.reconfigure(errors="backslashreplace")
    chapters = list(tour.chapters(str(Path(out).with_suffix(".html")), keras=not quick))
    model = Spirals(hidden, activation, learning_rate, clip, noise, seed)
    screen = Screen()
    with quiet_log():
        screen.title(1, len(chapters) + 1, "Train a network, and watch its gradients")
        train(model, min(steps, QUICK) if quick else steps, screen)
        for number, chapter in enumerate(chapters, 2):
            screen.title(number, len(chapters) + 1, chapter.title)
            print(f"{screen.paint(chapter.listing(), 36)}\n\n{chapter.file} prints:\n")
            show(chapter, screen)
    print()
    draw(out, model)
    print(f"All of it took {time.perf_counter() - began:.0f} s.\n{NEXT}")
    return 0


def show(chapter: tour.Chapter, screen: Screen) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            chapter.run()
        except ImportError as error:
            print(f"Nothing, for something is not installed: {error}")
    print(screen.plain(printed.getvalue()), end="")


def train(model: Spirals, steps: int, screen: Screen) -> None:
    hidden, classes = (v.shape[-1] for v in model.variables[2::2])
    print(f"Three spirals, {len(model.labels)} points; a 2-{hidden}-{hidden}-{classes} network;")
    print(f"inside of `with tf.debugging.GradientMonitor() as monitor:`, {steps} steps of\n")
    print(screen.paint(textwrap.indent(textwrap.dedent(inspect.getsource(Spirals.step)), "      "), 36))
    began = time.perf_counter()
    with tf.debugging.GradientMonitor(terminal=False) as monitor:
        for step in range(1, steps + 1):
            model.step()
            screen.show(step, steps, model, monitor)
    seconds = time.perf_counter() - began
    each = f"{steps} steps in {seconds:.1f} s ({seconds / steps * 1e3:.2f} ms each)"
    print(f"\n{each}; {model.correct():.1%} of the points are classified correctly.")
    if not math.isfinite(model.history.loss[-1]):
        print("The loss is no longer a number: try a smaller --learning-rate.")


@contextlib.contextmanager
def quiet_log() -> Iterator[None]:
    """The monitor's warnings are in its tables, which are shown; in the log they would come twice, and between redrawn
    lines."""
    log = logging.getLogger("tapeflow")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before
