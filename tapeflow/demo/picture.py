"""The picture of `tapeflow demo`: loss, gradient norms and decision regions."""

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.names.extras import install

from .spirals import Spirals

__all__ = ["draw"]


def draw(out: str, model: Spirals) -> None:
    """Loss, gradient norms and decision regions as one PNG."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        print(f"No picture: it needs matplotlib ({install('viz')}).")
        return
    figure = Figure(figsize=(13, 4.2), layout="constrained", dpi=120)
    FigureCanvasAgg(figure)
    left, middle, right = figure.subplots(1, 3)
    history = model.history
    steps = np.arange(1, len(history.loss) + 1)
    curves: list[tuple[Any, list[float], str, str | None]] = [(left, history.loss, "#c44e52", None)]
    curves += [
        (middle, norms, ("#4c72b0", "#dd8452", "#55a868")[i], f"layer {i + 1}")
        for i, norms in enumerate(history.norms)
    ]
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
    scores = np.nan_to_num(model.forward(tf.constant(grid.reshape(-1, 2))).numpy())
    share = np.exp(scores - scores.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    colours = np.array([[0.30, 0.45, 0.69], [0.87, 0.52, 0.32], [0.33, 0.66, 0.41]])
    shade = 1 - 0.55 * (1 - share @ colours)
    right.imshow(
        shade.reshape(240, 240, 3), extent=(-1.15, 1.15, -1.15, 1.15), origin="lower", interpolation="bilinear"
    )
    right.scatter(*model.points.numpy().T, c=colours[model.labels.numpy()], s=9, edgecolors="white", linewidths=0.35)
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
