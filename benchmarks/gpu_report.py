"""The tables of `benchmarks.gpu`, as Markdown."""

import numpy as np

from .report import duration
from .workloads import SCALES


def title(workload: str, scale: str) -> str:
    sizes = SCALES[scale][workload]
    if workload == "mlp":
        return f"MLP {'-'.join(map(str, sizes['widths']))}, batch {sizes['batch']}"
    if workload == "cnn":
        pixels, channels = sizes["pixels"], "-".join(map(str, sizes["channels"][1:]))
        return f"CNN on {pixels}×{pixels}×3 ({channels} channels), batch {sizes['batch']}"
    if workload == "lstm":
        return f"LSTM, {sizes['steps']} steps, width {sizes['width']}, batch {sizes['batch']}"
    return f"transformer block, width {sizes['width']}, {sizes['heads']} heads, length {sizes['length']}, batch {sizes['batch']}"


def disagreements(found: dict[str, dict], ours: str, dtype: str) -> list[str]:
    """Peers that compute something else: by the loss, and by how far it falls, which says whether the gradients agree."""
    tolerance = 5e-3 if dtype == "float32" else 5e-2
    reference = found.get(ours, {}).get("losses") or next((r["losses"] for r in found.values() if "losses" in r), None)
    out = []
    for name, result in found.items():
        if "losses" not in result or reference is None:
            continue
        a, b = np.array(reference), np.array(result["losses"])
        fallen, theirs = a[0] - a[-1], b[0] - b[-1]
        differs = not np.allclose(b, a, rtol=tolerance)
        if dtype == "float32" and abs(fallen) > 2e-4 * abs(a[0]):  # else it is lost in rounding
            differs |= abs(theirs - fallen) > 0.1 * abs(fallen)
        if differs:
            out.append(name)
    return out


def _cell(result: dict | None, ours: dict) -> str:
    if result is None:
        return ""
    if not result.get("times"):
        return result.get("error", "no answer").split("\n")[0][:80].replace("|", "/")
    time = duration(float(np.median(result["times"])))
    if result is ours or not ours.get("times"):
        return time
    low, middle, high = np.quantile(np.array(result["times"]) / np.array(ours["times"]), [0.1, 0.5, 0.9])
    return f"{middle:.2f}× ({low:.2f} to {high:.2f}), {time}"


def _table(results: dict, names: list[str], cell) -> list[str]:
    out = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for key, found in results["timings"].items():
        workload, dtype = key.split()
        out.append(f"| {title(workload, results['scale'])}, {dtype} | {' | '.join(cell(found, name) for name in names)} |")
    return out


def lines(results: dict, ours: str) -> list[str]:
    present = {name for found in results["timings"].values() for name in found}
    names = [name for name in results["peers"] if name in present]
    about = results["machine"]
    versions = ", ".join(f"{name} {about[name]}" for name in ("jax", "torch", "numpy", "python", "driver") if name in about)
    precision = "TF32 for everybody" if results["tf32"] and "driver" in about else "full precision for everybody"
    out = [
        f"# Training steps on: {about['device']}",
        "",
        f"`python -m benchmarks.gpu`, with {versions}. Float32 products and convolutions: {precision}. A step is forward, gradient and SGD",
        "update; parameters and data have the dtype that is named. The times of the others are multiples of tapeflow's in the same round",
        "(above 1 they are slower), with the 10% and 90% quantiles over the rounds.",
        "",
        *_table(results, names, lambda found, name: _cell(found.get(name), found.get(ours, {}))),
        "",
        "Seconds until the first steps were done, with all tracing, compiling and tuning:",
        "",
        *_table(results, names, lambda found, name: f"{found[name]['built']:.1f}" if "built" in found.get(name, {}) else ""),
    ]
    for key, found in results["timings"].items():
        if differ := disagreements(found, ours, key.split()[1]):
            out += ["", f"{key}: the losses are not tapeflow's in {', '.join(differ)}."]
    if not any("losses are not" in line for line in out):
        out += ["", "The losses of the first steps agree."]
    out += [f"\n{name} did not run: {why}" for name, why in results["absent"].items()]
    if results["skipped"]:
        out += ["", f"No time was left for: {'; '.join(results['skipped'])}."]
    return out
