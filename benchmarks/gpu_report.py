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
    return (
        f"transformer block, width {sizes['width']}, {sizes['heads']} heads, length {sizes['length']}, batch "
        f"{sizes['batch']}"
    )


def disagreements(found: dict[str, dict], ours: str, dtype: str) -> list[str]:
    """Peers that compute something else: by the loss, and by how far it falls, which says whether the gradients
    agree."""
    tolerance, of_the_fall = (5e-3, 0.1) if dtype == "float32" else (5e-2, 0.25)
    reference = found.get(ours, {}).get("losses") or next((r["losses"] for r in found.values() if "losses" in r), None)
    out = []
    for name, result in found.items():
        if "losses" not in result or reference is None:
            continue
        a, b = np.array(reference), np.array(result["losses"])
        fallen, theirs = a[0] - a[-1], b[0] - b[-1]
        differs = not np.allclose(b, a, rtol=tolerance)
        if abs(fallen) > tolerance / 10 * abs(a[0]):  # else it is lost in rounding
            differs |= abs(theirs - fallen) > of_the_fall * abs(fallen)
        if differs:
            out.append(name)
    return out


def ratios(result: dict | None, base: dict | None) -> np.ndarray | None:
    """The time of a step over that of `base`, in each round: above 1 it is slower. None if one of them was not
    timed."""
    if not (result or {}).get("times") or not (base or {}).get("times"):
        return None
    return np.array(result["times"]) / np.array(base["times"])


def _cell(result: dict | None, base: dict | None) -> str:
    if result is None:
        return ""
    if not result.get("times"):
        return result.get("error", "no answer").split("\n")[0][:80].replace("|", "/")
    time, each = duration(float(np.median(result["times"]))), ratios(result, base)
    if result is base or each is None:
        return time
    low, middle, high = np.quantile(each, [0.1, 0.5, 0.9])
    return f"{time}, {middle:.2f}× ({low:.2f} to {high:.2f})"


def _table(results: dict, names: list[str], cell) -> list[str]:
    out = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for key, found in results["timings"].items():
        workload, dtype = key.split()
        out.append(
            f"| {title(workload, results['scale'])}, {dtype} | {' | '.join(cell(found, name) for name in names)} |"
        )
    return out


def _compared(results: dict, ours: str, other: str, limit: float) -> str | None:
    """In which workloads tapeflow takes at most `limit` times as long as another, and in which it does not."""
    found = {key: ratios(f.get(ours), f.get(other)) for key, f in results["timings"].items()}
    middle = {key: float(np.median(each)) for key, each in found.items() if each is not None}
    if not middle:
        return None
    missed = [f"{key} ({ratio:.2f}×)" for key, ratio in middle.items() if ratio > limit]
    text = (
        f"{len(middle) - len(missed)} of {len(middle)}, from {min(middle.values()):.2f}× to "
        f"{max(middle.values()):.2f}×"
    )
    return text + (f". Missed: {', '.join(missed)}." if missed else ".")


def targets(results: dict, ours: str, base: str) -> list[str]:
    """What was aimed at, and whether it was reached; then, against everybody else, the same question."""
    asked = [(base, 1.05, f"within 1.05× of {base}"), ("PyTorch eager", 1.0, "ahead of PyTorch eager")]
    others = [name for name in results["peers"] if name not in (ours, base, "PyTorch eager")]
    asked += [(name, 1.0, f"no target: ahead of {name}") for name in others]
    found = [(words, _compared(results, ours, name, limit)) for name, limit, words in asked]
    return [f"- {words}: {text}" for words, text in found if text]


def lines(results: dict, ours: str, base: str) -> list[str]:
    present = {name for found in results["timings"].values() for name in found}
    names = [name for name in results["peers"] if name in present]
    about = results["machine"]
    versions = ", ".join(
        f"{name} {about[name]}" for name in ("jax", "torch", "numpy", "python", "driver") if name in about
    )
    precision = "TF32 in all of them" if results["tf32"] and "driver" in about else "full precision in all of them"
    rounds = max([len(r.get("times", ())) for found in results["timings"].values() for r in found.values()], default=0)
    out = [
        f"# Training steps on: {about['device']}",
        "",
        f"With {versions}. Float32 products and convolutions: {precision}.",
        "",
        "A step is a forward pass, its gradient and an SGD update. Parameters and data are on the device, in the "
        f"dtype given. The programs take turns, in {rounds} rounds. In each turn a program starts many steps and "
        f"waits for the last. A cell has the median time of a step, and its ratio to {base} in the same round (above "
        "1 is slower; in brackets the 10% and 90% quantiles over the rounds).",
        "",
        *_table(results, names, lambda found, name: _cell(found.get(name), found.get(base))),
        "",
        "In how many workloads tapeflow met each target, and the range of its ratios:",
        "",
        *targets(results, ours, base),
        "",
        "Seconds until the first steps were done, including tracing, compiling and tuning:",
        "",
        *_table(
            results, names, lambda found, name: f"{found[name]['built']:.1f}" if "built" in found.get(name, {}) else ""
        ),
    ]
    for key, found in results["timings"].items():
        if differ := disagreements(found, ours, key.split()[1]):
            out += ["", f"{key}: the losses are not tapeflow's in {', '.join(differ)}."]
    if not any("losses are not" in line for line in out):
        out += ["", "The losses of the first steps agree."]
    out += [f"\n{name} did not run: {why}" for name, why in results["absent"].items()]
    if results["skipped"]:
        out += ["", f"No time was left for: {'; '.join(results['skipped'])}."]
    return [*out, *_HOW]


_HOW = """
## How to run it

```
pip install "tapeflow[xla]" "jax[cuda13]" torch
python -m benchmarks.gpu                 # about 8 minutes: writes GPU.md and gpu.json here
python -m benchmarks.gpu mlp --dtypes float32 --no-tf32
python -m benchmarks.gpu --small         # tiny sizes, also without a GPU: does it run?
```

The programs are `with_tapeflow.py`, `with_jax.py` and `with_torch.py`, the sizes are in `workloads.py`, and
`gpu.json` has every time.

## What is compared

tapeflow and `jax.jit` use the same compiler, which finds the same number of products and convolutions in both
programs. They differ in their derivative rules: that of max pooling is a scatter in jax, and in tapeflow a loop that
XLA fuses. "PyTorch's fused routine" is the eager program with `scaled_dot_product_attention` or cuDNN's `nn.LSTM`,
where the other programs write these out. `torch.compile` compiles the loss and its gradient; the update is eager. The
LSTM is unrolled, except with `lax.scan`.

XLA chooses kernels by timing them, in every process again, so ratios change by a few percent from run to run. The
quantiles do not show this.
""".rstrip().split("\n")
