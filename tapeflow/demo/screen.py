"""The terminal of `tapeflow demo`: redrawn in place where it can be, plain lines anywhere else."""

import os
import shutil
import sys
import time
from itertools import pairwise

import numpy as np

import tapeflow as tf
from tapeflow.core.runtime.terminals import is_terminal

from .spirals import Spirals

__all__ = ["Screen"]

_PLAIN = str.maketrans("▁▂▃▄▅▆▇█…–µ", "_.-~=+*#.-u")


class Screen:
    """Progress, loss curve and the gradient monitor's table: redrawn in place on a terminal, a few plain lines
    anywhere else."""

    def __init__(self) -> None:
        self.live = is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"
        self.colour = self.live and "NO_COLOR" not in os.environ
        self.unicode = _can_print("⣿█░▁─")
        columns, self.rows = shutil.get_terminal_size()
        self.width = min(columns, 100)
        self.height, self.next_time = 0, 0.0

    def title(self, number: int, count: int, text: str) -> None:
        dash = "─" if self.unicode else "-"
        line = f"{dash * 2} {number} of {count}: {text} "
        print(self.paint(f"\n{line}{dash * (self.width - len(line))}\n", 1))

    def show(self, step: int, steps: int, model: Spirals, monitor: tf.debugging.GradientMonitor) -> None:
        last, history = step == steps, model.history
        if self.live:
            if last or time.perf_counter() >= self.next_time:  # a dozen frames a second, however fast the steps are
                self.next_time = time.perf_counter() + 0.08
                lines = [
                    self.progress(step, steps, model),
                    "",
                    *self.curve(history.loss),
                    "",
                    *self.gradients(monitor),
                ]
                lines = lines[: self.rows - 1]  # what has scrolled away cannot be redrawn
                up = f"\x1b[{self.height}A" if self.height else ""
                print(up + "".join(f"\x1b[2K{line}\n" for line in lines), end="", flush=True)
                self.height = len(lines)
        elif last or step % max(1, steps // 10) == 0:
            print(self.progress(step, steps, model))
            if last:
                print("\n" + "\n".join([*self.curve(history.loss), "", *self.gradients(monitor)]))

    def progress(self, step: int, steps: int, model: Spirals) -> str:
        full, empty = ("█", "░") if self.unicode else ("#", ".")
        cells = max(10, self.width - 52)
        done = cells * step // steps
        bar = self.paint(full * done, 36) + empty * (cells - done)
        return f"{bar} {step:5}/{steps}  loss {model.history.loss[-1]:7.4f}  accuracy {model.correct():6.1%}"

    def curve(self, loss: list[float]) -> list[str]:
        """The loss on a logarithmic scale."""
        rows, columns = 8, max(20, self.width - 12)
        logs = np.log10(np.maximum(np.nan_to_num(np.array(loss), nan=1e9, posinf=1e9), 1e-12))
        top, bottom = logs.max(), min(logs.min(), logs.max() - 0.1)
        lines = (_braille if self.unicode else _ascii)((top - _resample(logs, columns * 2)) / (top - bottom), rows)
        labels = {0: f"{10**top:8.3g}", rows - 1: f"{10**bottom:8.3g}"}
        return [
            f"{labels.get(r, ''):>8} {'│' if self.unicode else '|'}{self.paint(line, 33)}"
            for r, line in enumerate(lines)
        ]

    def gradients(self, monitor: tf.debugging.GradientMonitor) -> list[str]:
        """The monitor's table, and what it warns of."""
        return [line[: self.width] if self.live else line for line in self.plain(monitor.summary()).splitlines()]

    def plain(self, text: str) -> str:
        """The text in characters that the output has."""
        return text if self.unicode else text.translate(_PLAIN).encode("ascii", "replace").decode()

    def paint(self, text: str, colour: int) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colour else text


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _resample(values: np.ndarray, count: int) -> np.ndarray:
    """`count` means over equal stretches (repeats, while there are fewer values than that)."""
    edges = np.linspace(0, len(values), count + 1).astype(int)
    return np.array([values[a : max(b, a + 1)].mean() for a, b in pairwise(edges)])


def _braille(depth: np.ndarray, rows: int) -> list[str]:
    """A curve of dots, 2 by 4 in a character; depth 0 is the top, 1 the bottom."""
    bits = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]  # left and right column, from the top
    cells = np.full((rows, len(depth) // 2), 0x2800)
    previous = None
    for x, y in enumerate(np.rint(depth * (rows * 4 - 1)).astype(int)):
        low, high = (y, y) if previous is None else (min(previous, y), max(previous, y))
        for dot in range(low, high + 1):  # joined to the dot before, so that a steep curve has no holes
            cells[dot // 4, x // 2] |= bits[x % 2][dot % 4]
        previous = y
    return ["".join(map(chr, row)) for row in cells]


def _ascii(depth: np.ndarray, rows: int) -> list[str]:
    at = np.rint(depth[::2] * (rows - 1)).astype(int)
    return ["".join("*" if y == row else " " for y in at) for row in range(rows)]
