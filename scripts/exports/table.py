"""The table of primitives and export formats in docs/support.md, which `scripts/support_table.py` writes: what the
tables of rules, compositions and refusals of `tapeflow/export/` say."""

from collections.abc import Mapping
from typing import Any

from tapeflow.core.primitive import REGISTRY
from tapeflow.export.compositions import COMPOSITIONS
from tapeflow.export.to_onnx import RULES as ONNX, refused as no_onnx
from tapeflow.export.to_tensorflow import RULES as TENSORFLOW, refused as no_tensorflow

YES, COMPOSED, NO = "yes", "composed", "no"
_ON_HOST = "works on texts, or gives a result whose size depends on values: XLA has neither"


def formats(name: str) -> dict[str, tuple[str, str]]:
    """For each format, whether it has the primitive, and why not."""
    return {
        "ONNX": _ruled(name, ONNX, no_onnx.REFUSED),
        "StableHLO": _compiled(REGISTRY[name]),
        "TensorFlow": _ruled(name, TENSORFLOW, no_tensorflow.REFUSED),
    }


def _ruled(name: str, rules: Mapping[str, Any], refused: Mapping[str, str]) -> tuple[str, str]:
    if name in rules:
        return YES, ""
    return (COMPOSED, "") if name in COMPOSITIONS else (NO, refused[name])


def _compiled(prim: Any) -> tuple[str, str]:
    on_xla = not isinstance(prim.kernel, Mapping) or "jax" in prim.kernel
    return (YES, "") if on_xla else (NO, _ON_HOST)


def section() -> list[str]:
    """Lines of Markdown."""
    table = {name: formats(name) for name in sorted(REGISTRY)}
    titles = list(next(iter(table.values())))
    counts = ", ".join(
        f"{title} has {sum(row[title][0] != NO for row in table.values())}" for title in titles
    )  # fmt: skip
    reasons: dict[str, int] = {}
    rows = []
    for name, row in table.items():
        shown = []
        for title in titles:
            word, why = row[title]
            shown.append(word if not why else f"no ({reasons.setdefault(why, len(reasons) + 1)})")
        rows.append(f"| `{name}` | {' | '.join(shown)} |")
    return [
        f"Functions are graphs of {len(table)} primitives, and [exports](saved_models.md) write each with what the "
        f"format has: {counts}. “{COMPOSED}” means: by several operations of the format. A rule may refuse some "
        "dtypes or parameters; the error says which. Functions of `tf` that are no primitives are made of these.",
        "",
        f"| primitive | {' | '.join(titles)} |",
        f"|---|{'---|' * len(titles)}",
        *rows,
        "",
        "Why not, which the error says, too: the operation",
        "",
        *[f"{number}. {why}" for why, number in reasons.items()],
    ]
