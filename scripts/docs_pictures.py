"""Draws the pictures of docs/guide.md and docs/index.md: `python scripts/docs_pictures.py [NAME ...]` (needs the extra
`viz`).

The numbers in them are computed here by tapeflow; what is drawn by hand are boxes and arrows.
"""

import re
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
import tapeflow as tf  # noqa: E402  (this checkout's)

FOLDER = ROOT / "docs" / "pictures"
BLUE, ORANGE, GREY, RED, GREEN = "#3f51b5", "#e65100", "#9e9e9e", "#c62828", "#2e7d32"
STYLE = {
    "font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#666666",
    "axes.titlesize": 10, "figure.dpi": 110, "legend.frameon": False,
}  # fmt: skip
PICTURES: dict[str, Callable[[], Any]] = {}


def picture(draw: Callable[[], Any]) -> Callable[[], Any]:
    PICTURES[draw.__name__] = draw
    return draw


# ---- boxes and arrows


def canvas(width: float, height: float) -> Any:
    """An empty picture whose unit is an inch."""
    figure = plt.figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return figure, axes


def box(axes: Any, x: float, y: float, text: str, color: str = BLUE, filled: bool = False) -> None:
    style = {
        "boxstyle": "round,pad=0.45",
        "facecolor": color if filled else "white",
        "edgecolor": color,
        "linewidth": 1.4,
    }
    axes.text(x, y, text, ha="center", va="center", bbox=style, color="white" if filled else "#222222", zorder=3)


def arrow(axes: Any, start: Any, end: Any, color: str = GREY, bend: float = 0.0) -> None:
    style = {
        "arrowstyle": "-|>", "color": color, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 0,
        "connectionstyle": f"arc3,rad={bend}",
    }  # fmt: skip
    axes.annotate("", xy=end, xytext=start, arrowprops=style, zorder=2)


@picture
def tape() -> Any:
    figure, axes = canvas(8.4, 2.7)
    box(axes, 0.6, 1.85, "w = 3", BLUE, filled=True)
    box(axes, 0.6, 0.75, "x = 2", GREY)
    box(axes, 2.9, 1.3, "h = w · x\n= 6")
    box(axes, 5.2, 1.95, "s = sin h\n= −0.28")
    box(axes, 7.6, 1.3, "loss = s + h\n= 5.72")
    for start, end in [((0.98, 1.75), (2.42, 1.42)), ((0.98, 0.85), (2.42, 1.2)), ((3.38, 1.4), (4.74, 1.78)),
                       ((5.66, 1.85), (7.02, 1.5)), ((3.38, 1.26), (7.02, 1.26))]:  # fmt: skip
        arrow(axes, start, end)
    for start, end, bend, (x, y), text in [
        ((7.5, 1.64), (5.66, 2.12), 0.25, (6.85, 2.22), "1"),
        ((4.74, 2.12), (2.95, 1.64), 0.25, (3.55, 2.25), "1 · cos 6"),
        ((7.4, 0.98), (3.1, 0.98), -0.16, (5.2, 0.48), "1"),
        ((2.75, 1.64), (0.98, 1.98), 0.25, (1.85, 2.4), "(cos 6 + 1) · 2 = 3.92"),
    ]:
        arrow(axes, start, end, ORANGE, bend)
        axes.text(x, y, text, color=ORANGE, ha="center", va="center")
    axes.text(0.15, 0.12, "grey: recorded going forward", color="#666666")
    axes.text(8.25, 0.12, "orange: the walk back", color=ORANGE, ha="right")
    return figure


@picture
def none() -> Any:
    figure, axes = canvas(8.4, 2.7)
    rows = [
        ("x", "x²", "1  nobody watches x", GREY),
        ("v", "float(v)", "2  the value leaves the tape", BLUE),
        ("v", "cast to int32", "3  integers have no derivative", BLUE),
        ("u", "u − 0.1", "4  the old name, a new tensor", BLUE),
    ]
    for i, (source, middle, text, color) in enumerate(rows):
        y = 2.35 - 0.66 * i
        axes.text(0.15, y, text, va="center")
        box(axes, 3.9, y, source, color, filled=True)
        box(axes, 6.0, y, middle, GREY)
        box(axes, 8.0, y, "y", GREY)
        arrow(axes, (4.1, y), (5.35, y))
        arrow(axes, (6.65, y), (7.8, y))
        axes.text(4.65, y, "×", color=RED, fontsize=20, ha="center", va="center", zorder=4, weight="bold")
    return figure


@picture
def modes() -> Any:
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 2.6))
    for axes, title, reverse in zip(
        panels, ["reverse: one output, every input", "forward: one input, every output"], [True, False]
    ):
        grid = np.zeros((4, 6))
        grid[1 if reverse else slice(None), slice(None) if reverse else 2] = 1
        axes.pcolormesh(
            grid,
            cmap=mpl.colors.ListedColormap(["#eceff1", ORANGE if reverse else GREEN]),
            edgecolors="white",
            linewidth=2,
        )
        axes.set(title=title, xticks=[], yticks=[], aspect="equal", ylim=(4, 0))
        axes.set_xlabel("inputs", color="#555555")
        axes.set_ylabel("outputs", color="#555555")
        for side in axes.spines.values():
            side.set_visible(False)
        at = {"arrowstyle": "-|>", "color": "#222222", "linewidth": 1.6}
        axes.annotate(
            "", xy=(0.3, 1.5) if reverse else (2.5, 3.7), xytext=(5.7, 1.5) if reverse else (2.5, 0.3), arrowprops=at
        )
    figure.tight_layout()
    return figure


# ---- what tapeflow computes


@picture
def orders() -> Any:
    figure, axes = plt.subplots(figsize=(6.4, 2.9))
    x = tf.linspace(-4.0, 4.0, 201)
    f = tf.math.tanh
    for order, color in enumerate([BLUE, ORANGE, GREEN, RED]):
        axes.plot(x, tf.vmap(f)(x), color=color, label=["tanh", "first", "second", "third"][order], linewidth=1.8)
        f = tf.derivatives.grad(f)
    axes.axhline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9)
    figure.tight_layout()
    return figure


@picture
def jacobians() -> Any:
    rng = np.random.default_rng(0)
    kernel = tf.constant(rng.normal(size=(4, 3)), tf.float32)
    rows = tf.constant(rng.normal(size=(5, 4)), tf.float32)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(rows)
        out = tf.tanh(rows @ kernel)
    full = tape.jacobian(out, rows).numpy().reshape(15, 20)
    blocks = tape.batch_jacobian(out, rows).numpy()
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.3), width_ratios=[3.4, 1])
    limit = abs(full).max()
    colors = {"cmap": "PuOr", "vmin": -limit, "vmax": limit, "edgecolors": "#eeeeee", "linewidth": 0.4}
    panels[0].pcolormesh(full, **colors)
    panels[0].set(
        title="jacobian:\n(5, 3, 5, 4), 300 numbers",
        xlabel="5 rows × 4 inputs",
        ylabel="5 rows × 3 outputs",
        ylim=(15, 0),
    )
    stacked = np.full((19, 4), np.nan)
    for i, b in enumerate(blocks):
        stacked[4 * i : 4 * i + 3] = b
    panels[1].pcolormesh(stacked, **{**colors, "linewidth": 0})
    panels[1].set(
        title="batch_jacobian:\n(5, 3, 4), 60 numbers", xlabel="4 inputs", ylabel="3 outputs, 5 times", ylim=(19, 0)
    )
    for axes in panels:
        axes.set(xticks=[], yticks=[], aspect="equal")
        for side in axes.spines.values():
            side.set_visible(False)
    figure.tight_layout()
    return figure


@picture
def delicate() -> Any:
    figure, axes = plt.subplots(figsize=(6.4, 2.7))
    x = tf.constant(np.logspace(-14, -1, 300))
    for small, color in zip([0.0, 1e-12, 1e-6], [RED, BLUE, GREEN]):
        slope = tf.vmap(tf.derivatives.grad(lambda x, small=small: tf.sqrt(x + small)))(x)
        axes.loglog(
            x, slope, color=color, label=f"sqrt(x + {small:.0e})" if small else "sqrt(x): infinite at 0", linewidth=1.8
        )
    axes.set(xlabel="x", ylabel="slope")
    axes.legend(fontsize=9)
    figure.tight_layout()
    return figure


@picture
def clipping() -> Any:
    rng = np.random.default_rng(5)
    gradients = tf.constant(rng.normal(size=(9, 2)) * 1.6, tf.float32)
    ways = {
        "as they are": lambda g: g,
        "by value, 1": lambda g: tf.clip_by_value(g, -1.0, 1.0),
        "by norm, 1": lambda g: tf.clip_by_norm(g, 1.0),
        "by global norm, 3": lambda g: tf.clip_by_global_norm(list(g), 3.0)[0],
    }
    figure, panels = plt.subplots(1, 4, figsize=(8.4, 2.35), sharex=True, sharey=True)
    for axes, (name, clip) in zip(panels, ways.items()):
        after = clip(gradients) if "global" in name else [clip(g) for g in gradients]
        for g, c in zip(gradients.numpy(), after):
            axes.plot([0, g[0]], [0, g[1]], color="#cccccc", linewidth=1, zorder=1)
            axes.annotate(
                "",
                xy=np.asarray(c),
                xytext=(0, 0),
                arrowprops={"arrowstyle": "-|>", "color": BLUE, "shrinkA": 0, "shrinkB": 0},
            )
        if "value" in name:
            axes.add_patch(plt.Rectangle((-1, -1), 2, 2, fill=False, color=ORANGE, linestyle=":"))
        if name == "by norm, 1":
            axes.add_patch(plt.Circle((0, 0), 1, fill=False, color=ORANGE, linestyle=":"))
        axes.set(title=name, xticks=[], yticks=[], aspect="equal", xlim=(-2.9, 2.9), ylim=(-2.9, 2.9))
        for side in axes.spines.values():
            side.set_visible(False)
    figure.tight_layout()
    return figure


@picture
def per_example() -> Any:
    rng = np.random.default_rng(0)
    weights = tf.Variable([0.5, -0.5])
    features = tf.constant(
        np.concatenate([rng.normal(size=(31, 2)), [[-6.0, 1.5]]]), tf.float32
    )  # the last one is far out
    labels = tf.cast(features[:, 0] + features[:, 1] > 0.0, tf.float32)
    labels = tf.tensor_scatter_nd_update(labels, [[31]], [1.0])  # and its label is wrong
    loss = lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(y, tf.reduce_sum(weights * x))
    each = tf.derivatives.per_example_gradients(loss, wrt=weights)(features, labels)
    clipped = each * tf.minimum(1.0, 0.5 / tf.norm(each, axis=1))[:, None]
    figure, axes = plt.subplots(figsize=(6.4, 2.8))
    for g in each.numpy():
        axes.annotate(
            "", xy=g, xytext=(0, 0), arrowprops={"arrowstyle": "-|>", "color": "#b0bec5", "shrinkA": 0, "shrinkB": 0}
        )
    for mean, color, text in [(each, RED, "mean × 5"), (clipped, BLUE, "mean × 5, each clipped to 0.5")]:
        end = 5 * tf.reduce_mean(mean, axis=0).numpy()
        axes.annotate(
            "",
            xy=end,
            xytext=(0, 0),
            arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 2.4, "shrinkA": 0, "shrinkB": 0},
        )
        axes.plot([], [], color=color, linewidth=2.4, label=text)
    axes.plot([], [], color="#b0bec5", label="gradients of 32 examples; one label is wrong")
    axes.set(xlim=(-2.6, 6.6), ylim=(-2.6, 2.4), aspect="equal", xlabel="first weight", ylabel="second weight")
    axes.legend(fontsize=8.5, loc="upper right")
    figure.tight_layout()
    return figure


@picture
def memory() -> Any:
    figure, axes = plt.subplots(figsize=(6.4, 2.8))
    for blocks, color, text in [(False, RED, "plain"), (True, BLUE, "recompute_grad around every four layers")]:
        held = _megabytes(blocks)
        axes.plot(np.linspace(0, 1, len(held)), held, color=color, label=text, linewidth=1.8)
    axes.set(
        xlabel="time, from the first layer forward to the first layer back", ylabel="MB held by arrays", xticks=[]
    )
    axes.set_ylim(0, 44)
    axes.legend(fontsize=9, loc="upper left")
    figure.tight_layout()
    return figure


def _megabytes(blocks: bool) -> list[float]:
    """What arrays hold at every layer of a run, forward and back, without the parameters."""
    layers = [tf.Variable(tf.random.normal([64, 64], stddev=0.12, seed=i)) for i in range(16)]
    data = tf.random.normal([4096, 64], seed=99)
    held: list[float] = []

    @tf.custom_gradient
    def look(x):
        held.append(tracemalloc.get_traced_memory()[0] / 1e6)

        def backward(g):
            held.append(tracemalloc.get_traced_memory()[0] / 1e6)
            return g

        return tf.identity(x), backward

    def some(x: Any, matrices: list) -> Any:
        for matrix in matrices:
            x = tf.nn.gelu(look(x) @ matrix)
        return x

    for _ in range(2):  # the first run warms caches up
        held.clear()
        tracemalloc.start()
        with tf.GradientTape() as tape:
            x = data
            for i in range(0, 16, 4):
                part = lambda x, i=i: some(x, layers[i : i + 4])
                x = (tf.recompute_grad(part) if blocks else part)(x)
            loss = tf.reduce_mean(x**2)
        tape.gradient(loss, layers)
        del tape, loss, x
        tracemalloc.stop()
    return held


@picture
def speed() -> Any:
    """Some rows of the table in README.md, which has the numbers."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## How fast")[2]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", table, re.M)]
    head, found = rows[0], {row[0]: row for row in rows[2:]}
    chosen = {
        "100-operation chain on 4 floats": "100 small operations\nand their gradient",
        "batch Jacobian of a 32-64-64-10 net, batch 16": "batch Jacobian\nof a small net",
        "per-example gradients of a small CNN, batch 64": "per-example gradients\nof a small CNN",
        "MLP 784-1024-1024-10, batch 512": "step of an MLP,\nbatch 512",
        "CNN on 32×32×3": "step of a CNN",
    }
    peers = {"PyTorch": ORANGE, "TensorFlow eager": BLUE, "TensorFlow function": "#9fa8da", "`jax.jit`": GREEN}
    figure, axes = plt.subplots(figsize=(7.4, 3.7))
    for i, (name, color) in enumerate(peers.items()):
        places = np.arange(len(chosen)) + (i - 1.5) * 0.2
        ratios = [float(found[row][head.index(name)]) for row in chosen]
        axes.barh(places, np.array(ratios) - 1, 0.18, left=1, color=color, label=name.strip("`"))
        for place, ratio in zip(places, ratios):
            end = {"x": ratio * 1.06, "ha": "left"} if ratio >= 1 else {"x": ratio / 1.06, "ha": "right"}
            axes.text(y=place, s=f"{ratio:g}×", va="center", fontsize=7.5, color="#444444", **end)
    axes.axvline(1, color=RED, linewidth=1.4)
    axes.text(1, -0.62, "tapeflow", color=RED, ha="center", fontsize=9)
    axes.set(xscale="log", xlim=(0.18, 1000), yticks=range(len(chosen)), yticklabels=chosen.values())
    axes.set_xlabel("time as a multiple of tapeflow's, on a logarithmic scale (right of the line is slower)")
    axes.set_xticks([0.3, 1, 3, 10, 30, 100, 300], ["0.3", "1", "3", "10", "30", "100", "300"])
    axes.minorticks_off()
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.legend(fontsize=9, loc="lower right")
    figure.tight_layout()
    return figure


def main(names: list[str]) -> int:
    FOLDER.mkdir(exist_ok=True)
    for name in names or PICTURES:
        with plt.rc_context(STYLE):
            figure = PICTURES[name]()
            path = FOLDER / f"{name}.png"
            figure.savefig(path, metadata={"Software": None})
            plt.close(figure)
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size / 1000:.0f} kB")
        if size > 60_000:
            print("  larger than 60 kB", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
