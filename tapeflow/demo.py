"""`tapeflow demo`: a classifier for three interleaved spirals, trained with a GradientTape loop on plain variables.

The first half of this file is the program that a user would write; the second half draws it.
"""

import math
import os
import shutil
import sys
import time
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf

CLASSES, POINTS, BATCH = 3, 240, 128  # spirals, points on each, points in a step


class History(NamedTuple):
    """One entry per step."""

    loss: list[float]
    norms: list[list[float]]  # for each layer


def run(steps: int, hidden: int, activation: str, learning_rate: float, clip: float, noise: float, seed: int, out: str) -> int:
    rng = np.random.default_rng(seed)
    points, labels = spirals(rng, noise)
    layers = [layer(rng, n, m) for n, m in [(2, hidden), (hidden, hidden), (hidden, CLASSES)]]
    variables = [v for pair in layers for v in pair]
    activate = {"tanh": tf.tanh, "relu": tf.nn.relu, "sigmoid": tf.sigmoid, "sin": tf.sin}[activation]
    optimizer = Momentum(variables, learning_rate)
    history = History([], [[] for _ in layers])
    correct = lambda: float(np.mean(forward(points, layers, activate).numpy().argmax(axis=1) == labels.numpy()))
    screen = Screen(steps, [f"layer {i + 1}" for i in range(len(layers))])
    print(f"Three spirals, {len(labels)} points; a 2-{hidden}-{hidden}-{CLASSES} network with {activation}, {steps} steps.\n")
    began = time.perf_counter()
    for step in range(1, steps + 1):
        batch = rng.integers(len(labels), size=BATCH)
        with tf.GradientTape() as tape:
            logits = forward(tf.gather(points, batch), layers, activate)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(labels, batch), logits))
        gradients = tape.gradient(loss, variables)
        clipped, _ = tf.clip_by_global_norm(gradients, clip)
        optimizer.apply(clipped)

        history.loss.append(float(loss))
        for norms, pair in zip(history.norms, zip(gradients[::2], gradients[1::2], strict=True), strict=True):
            norms.append(float(tf.linalg.global_norm(pair)))
        screen.show(step, history, correct)
    seconds = time.perf_counter() - began
    print(
        f"\n{steps} steps in {seconds:.1f} s ({seconds / steps * 1e3:.2f} ms each); {correct():.1%} of the points are classified correctly."
    )
    if not math.isfinite(history.loss[-1]):
        print("The loss is no longer a number: try a smaller --learning-rate.")
    draw(out, history, points.numpy(), labels.numpy(), lambda grid: forward(tf.constant(grid), layers, activate).numpy())
    print(NEXT)
    return 0


# ---- the model


def spirals(rng: np.random.Generator, noise: float) -> tuple[tf.Tensor, tf.Tensor]:
    """Points on three interleaved spiral arms, and the number of the arm of each."""
    along = np.sqrt(rng.uniform(0.01, 1.0, size=(CLASSES, POINTS)))
    arm = np.arange(CLASSES)[:, None]
    angle = 2 * np.pi * (arm / CLASSES + 1.15 * along) + noise * rng.normal(size=along.shape)
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=-1).reshape(-1, 2)
    return tf.constant(points, tf.float32), tf.constant(np.repeat(np.arange(CLASSES), POINTS), tf.int32)


def layer(rng: np.random.Generator, inputs: int, outputs: int) -> tuple[tf.Variable, tf.Variable]:
    weights = rng.normal(scale=math.sqrt(2.0 / inputs), size=(inputs, outputs))
    return tf.Variable(weights, dtype=tf.float32), tf.Variable(np.zeros(outputs), dtype=tf.float32)


def forward(x: Any, layers: list, activate: Any) -> tf.Tensor:
    for weights, bias in layers[:-1]:
        x = activate(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias


class Momentum:
    """Gradient descent with a running sum of the gradients, so that steps along a valley add up."""

    def __init__(self, variables: list[tf.Variable], rate: float, keep: float = 0.9) -> None:
        self.variables, self.rate, self.keep = variables, rate, keep
        self.velocities = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply(self, gradients: list[tf.Tensor]) -> None:
        for v, g, velocity in zip(self.variables, gradients, self.velocities, strict=True):
            velocity.assign(self.keep * velocity + g)
            v.assign_sub(self.rate * velocity)


# ---- the terminal


class Screen:
    """Progress, loss curve and gradient norms: redrawn in place on a terminal, a few plain lines anywhere else."""

    def __init__(self, steps: int, names: list[str]) -> None:
        self.steps, self.names = steps, names
        self.live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.live and "NO_COLOR" not in os.environ
        self.unicode = _can_print("⣿█░▁")
        self.width = min(shutil.get_terminal_size().columns, 100)
        self.height, self.next_time = 0, 0.0

    def show(self, step: int, history: History, correct: Any) -> None:
        last = step == self.steps
        if self.live:
            if last or time.perf_counter() >= self.next_time:  # a dozen frames a second, however fast the steps are
                self.next_time = time.perf_counter() + 0.08
                lines = [self.progress(step, history, correct()), "", *self.curve(history.loss), "", *self.norms(history)]
                up = f"\x1b[{self.height}A" if self.height else ""
                print(up + "".join(f"\x1b[2K{line}\n" for line in lines), end="", flush=True)
                self.height = len(lines)
        elif last or step % max(1, self.steps // 10) == 0:
            print(self.progress(step, history, correct()))
            if last:
                print("\n" + "\n".join([*self.curve(history.loss), "", *self.norms(history)]))

    def progress(self, step: int, history: History, correct: float) -> str:
        full, empty = ("█", "░") if self.unicode else ("#", ".")
        cells = max(10, self.width - 52)
        done = cells * step // self.steps
        bar = self.paint(full * done, 36) + empty * (cells - done)
        return f"{bar} {step:5}/{self.steps}  loss {history.loss[-1]:7.4f}  accuracy {correct:6.1%}"

    def curve(self, loss: list[float]) -> list[str]:
        """The loss on a logarithmic scale."""
        rows, columns = 8, max(20, self.width - 12)
        logs = np.log10(np.maximum(np.nan_to_num(np.array(loss), nan=1e9, posinf=1e9), 1e-12))
        top, bottom = logs.max(), min(logs.min(), logs.max() - 0.1)
        lines = (_braille if self.unicode else _ascii)((top - _resample(logs, columns * 2)) / (top - bottom), rows)
        labels = {0: f"{10**top:8.3g}", rows - 1: f"{10**bottom:8.3g}"}
        return [f"{labels.get(r, ''):>8} {'│' if self.unicode else '|'}{self.paint(line, 33)}" for r, line in enumerate(lines)]

    def norms(self, history: History) -> list[str]:
        """A line for each layer: the norm of its gradient over time, and now."""
        columns = max(10, self.width - 40)
        levels = "▁▂▃▄▅▆▇█" if self.unicode else "_.-~=+*#"
        lines = []
        for name, norms in zip(self.names, history.norms, strict=True):
            logs = _resample(np.log10(np.maximum(np.nan_to_num(np.array(norms), nan=1e9, posinf=1e9), 1e-12)), columns)
            span = max(np.ptp(logs), 0.5)
            bars = "".join(levels[min(7, int(8 * (v - logs.min()) / span))] for v in logs)
            lines.append(f"{name} gradient norm  {self.paint(bars, 35)}  {norms[-1]:.2e}")
        return lines

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


# ---- the picture

NEXT = """
What to try next:
  python -m tapeflow demo --hidden 6            is that enough to follow three spirals?
  python -m tapeflow demo --activation sigmoid  how much smaller is the gradient of the first layer?
  python -m tapeflow demo --learning-rate 2     too long a stride; does --clip 0.05 save it?
  python -m tapeflow demo --help                all the options
The program is tapeflow/demo.py; the README has the tape in ten short examples, examples/ has longer ones."""


def draw(out: str, history: History, points: np.ndarray, labels: np.ndarray, logits: Any) -> None:
    """Loss, gradient norms and decision regions as one PNG."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        print("No picture: it needs matplotlib (pip install 'tapeflow[viz]').")
        return
    figure = Figure(figsize=(13, 4.2), layout="constrained", dpi=120)
    FigureCanvasAgg(figure)
    left, middle, right = figure.subplots(1, 3)
    steps = np.arange(1, len(history.loss) + 1)
    curves: list[tuple[Any, list[float], str, str | None]] = [(left, history.loss, "#c44e52", None)]
    curves += [(middle, norms, ("#4c72b0", "#dd8452", "#55a868")[i], f"layer {i + 1}") for i, norms in enumerate(history.norms)]
    for axes, values, colour, label in curves:  # what each step gave, faint, and its running mean
        axes.semilogy(steps, values, color=colour, linewidth=0.6, alpha=0.22)
        axes.semilogy(steps, _smooth(values), color=colour, linewidth=1.5, label=label)
    left.set(title="Loss", xlabel="step", ylabel="cross-entropy")
    middle.set(title="Norm of the gradient", xlabel="step")
    middle.legend(frameon=False)
    for axes in (left, middle):
        axes.grid(True, which="major", alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)

    across = np.linspace(-1.15, 1.15, 240, dtype=np.float32)
    grid = np.stack(np.meshgrid(across, across), axis=-1)
    scores = np.nan_to_num(logits(grid.reshape(-1, 2)))
    share = np.exp(scores - scores.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    colours = np.array([[0.30, 0.45, 0.69], [0.87, 0.52, 0.32], [0.33, 0.66, 0.41]])
    shade = 1 - 0.55 * (1 - share @ colours)
    right.imshow(shade.reshape(240, 240, 3), extent=(-1.15, 1.15, -1.15, 1.15), origin="lower", interpolation="bilinear")
    right.scatter(*points.T, c=colours[labels], s=9, edgecolors="white", linewidths=0.35)
    right.set(title="What the network has learned", xticks=[], yticks=[], xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))
    figure.savefig(out)
    print(f"The picture of the loss, the gradients and the decision regions is {out}.")


def _smooth(values: list[float], width: int = 25) -> np.ndarray:
    """The geometric mean over `width` neighbours, fewer at the ends."""
    logs = np.log(np.maximum(values, 1e-30))
    sums = np.concatenate([[0.0], np.cumsum(logs)])
    at = np.arange(len(logs))
    low, high = np.maximum(at - width, 0), np.minimum(at + width + 1, len(logs))
    return np.exp((sums[high] - sums[low]) / (high - low))
