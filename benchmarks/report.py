"""The tables and the picture."""

from pathlib import Path

import numpy as np

from .peers import CONTROL, SELF
from .workloads import TITLES


def ratios(result: dict, ours: dict) -> np.ndarray:
    """Their time over ours, round by round: 2 means that tapeflow is twice as fast."""
    return np.array([np.median(a) / np.median(b) for a, b in zip(result["times"], ours["times"], strict=True)])


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:.0f}"


def lines(results: dict) -> list[str]:
    """Everything that was measured, as Markdown."""
    out = []
    for workload, found in results["timings"].items():
        out += [
            "",
            f"### {TITLES[workload]}",
            "",
            "| | median | least | times tapeflow's | spread |",
            "|---|---|---|---|---|",
        ]
        ours = found.get(SELF.name, {})
        for name, result in found.items():
            if not result.get("times"):
                why = result.get("error") or result.get("missing") or "no answer"
                if "missing" not in result:
                    out.append(f"| {name} | {why} | | | |")
                continue
            medians = [np.median(t) for t in result["times"]]
            row = f"| {name} | {duration(np.median(medians))} | {duration(min(map(min, result['times'])))} |"
            if ours.get("times") and len(ours["times"]) == len(result["times"]):
                low, middle, high = np.quantile(ratios(result, ours), [0.1, 0.5, 0.9])
                row += f" {middle:.2f} | {low:.2f} to {high:.2f} |"
            else:
                row += " | |"
            out.append(row)
        if results["disagree"][workload]:
            out.append(f"\nThe losses differ from tapeflow's: {', '.join(results['disagree'][workload])}.")
    out += _table(
        results["memory"],
        "Peak memory above the weights: 12 dense layers of 1024, batch 2048, forward and gradient",
        _megabytes,
    )
    out += _table(
        results["first"],
        "First call of the transformer's step: trace, compile and run",
        lambda times: duration(np.median(times)),
    )
    out += _table(results["imports"], "Import", lambda times: duration(min(times)))
    sizes = {name: [sum(parts.values())] for name, parts in results["footprints"].items()}
    out += _table(sizes, "Installed size, with all that is required", _megabytes)
    if results["absent"]:
        out += ["", f"Not installed here: {', '.join(results['absent'])}."]
    return out


# Like is compared with like: tapeflow's time in each mode, and beside it the peers that do the same, as multiples.
MODES = {
    "tapeflow eager": ("numpy by hand", "torch eager", "tensorflow eager", "autograd eager"),
    "tapeflow function": ("tensorflow function",),
    "tapeflow xla": ("jax jit",),
}


def summary(results: dict, spread: bool = True) -> list[str]:
    """One table for the README: tapeflow's times, and every peer's as a multiple of that in its mode, if wanted with
    the spread in brackets."""
    columns = [name for ours, peers in MODES.items() for name in (ours, *peers)]
    out = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for workload, found in results["timings"].items():
        cells = []
        for ours, peers in MODES.items():
            base = found.get(ours, {})
            cells.append(duration(np.median([np.median(t) for t in base["times"]])) if base.get("times") else "")
            cells += [_ratio(found.get(name, {}), base, spread) for name in peers]
        out.append(f"| {TITLES[workload]} | {' | '.join(cells)} |")
    named = {"peak memory": results["memory"], "first call": results["first"], "import": results["imports"]}
    named["installed size"] = {k: [sum(v.values())] for k, v in results["footprints"].items()}
    for title, found in named.items():
        show = {"import": lambda v: duration(min(v)), "first call": lambda v: duration(np.median(v))}.get(
            title, _megabytes
        )
        value = lambda name, found=found, show=show: next(
            (show(v) for k, v in found.items() if k in (name, name.split()[0])), ""
        )
        if found:
            out.append(f"| {title} | {' | '.join(map(value, columns))} |")
    return out


def _ratio(theirs: dict, ours: dict, spread: bool) -> str:
    if not ours.get("times") or len(theirs.get("times", [])) != len(ours["times"]):
        return ""
    low, middle, high = np.quantile(ratios(theirs, ours), [0.1, 0.5, 0.9])
    return f"{times(middle)}× ({times(low)} to {times(high)})" if spread else times(middle)


def _megabytes(values: list[int]) -> str:
    return f"{np.median(values) / 1e6:.0f} MB"


def _table(found: dict, title: str, show) -> list[str]:
    if not found:
        return []
    return [
        "",
        f"### {title}",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {show(values)} |" for name, values in found.items()),
    ]


COLOURS = {
    "tapeflow eager": "#c44e52", "tapeflow function": "#d98082", "tapeflow xla": "#8c2d30",
    "tapeflow loop": "#e9b9bb", "numpy by hand": "#999999", "torch eager": "#dd8452", "tensorflow eager": "#4c72b0",
    "tensorflow function": "#92a9d4", "jax jit": "#55a868", "jax eager": "#a3d1ae", "autograd eager": "#8172b3",
}  # fmt: skip


def picture(results: dict, path: Path) -> None:
    """Every workload on one logarithmic axis: the time of each peer as a multiple of tapeflow's, with its spread."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    timed = {k: v for k, v in results["timings"].items() if v.get(SELF.name, {}).get("times")}
    if not timed:
        return
    rows = sum(sum(bool(r.get("times")) for r in found.values()) + 1.4 for found in timed.values())
    figure = Figure(figsize=(9, 0.27 * rows + 1.1), layout="constrained", dpi=120)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    y, seen = 0.0, set()
    for workload, found in timed.items():
        y += 1.4
        axes.text(
            0.0,
            y - 0.15,
            TITLES[workload],
            transform=axes.get_yaxis_transform(),
            fontsize=8.5,
            fontweight="bold",
            va="bottom",
        )
        for name, result in found.items():
            if not result.get("times") or len(result["times"]) != len(found[SELF.name]["times"]):
                continue
            low, middle, high = np.quantile(ratios(result, found[SELF.name]), [0.1, 0.5, 0.9])
            y += 1
            bar = axes.barh(
                y - 0.5,
                middle - 1e-3,
                left=1e-3,
                height=0.8,
                color=COLOURS[name],
                label=None if name in seen else name,
            )
            bar[0].set_zorder(2)
            axes.plot([low, high], [y - 0.5, y - 0.5], color="black", linewidth=1, zorder=3)
            time = duration(np.median([np.median(t) for t in result["times"]]))
            axes.text(high * 1.06, y - 0.5, f"{times(middle)}×  {time}", va="center", fontsize=7, zorder=4)
            seen.add(name)
    everything = [q for f in timed.values() for r in f.values() if r.get("times") for q in ratios(r, f[SELF.name])]
    axes.set(xscale="log", xlim=(min(everything) / 1.6, max(everything) * 3.5), ylim=(y + 0.4, 0), yticks=[])
    axes.set_xlabel(
        "time of a step as a multiple of tapeflow's, in the same round (shorter is faster; the line is 10% to 90% of "
        "the rounds)"
    )
    axes.axvline(1, color="#c44e52", linewidth=1, linestyle=":", zorder=1)
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=4, fontsize=8, frameon=False)
    figure.savefig(path)


def headline(results: dict) -> str:
    """One sentence about the machine, from the control: how steady it was."""
    found = [f[CONTROL.name]["times"] for f in results["timings"].values() if f.get(CONTROL.name, {}).get("times")]
    if not found:
        return ""
    drift = max(np.ptp(medians) / np.median(medians) for medians in ([np.median(t) for t in times] for times in found))
    return f"The control (NumPy by hand) varied by at most {drift:.0%} from round to round."
