"""Writes the support table: `python scripts/support_table.py` (with `--check`: only says whether it is up to date).

`survey.json` has the names that programs with a GradientTape use, and in how many files of a survey. Whether tapeflow
has a name is looked up in the running package; only the reasons for "partly" are kept by hand, below. Written are
docs/support.md, for people, and tapeflow/programs/support.json, which `tapeflow check` reads.
"""

import inspect
import json
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import libraries  # noqa: E402
import reference  # noqa: E402
from exports import table as exports  # noqa: E402

import tapeflow as tf  # noqa: E402
from tapeflow.names import hints  # noqa: E402
from tapeflow.programs import support  # noqa: E402

PAGE, DATA = ROOT / "docs" / "support.md", ROOT / "tapeflow" / "programs" / "support.json"

# What is there, but not all of it; a few words on what is not.
PARTLY = {
    "tf.compat.v1.InteractiveSession": "for its settings; there is no graph to run",
    "tf.compat.v1.Session": "for its settings; there is no graph to run",
    "tf.config.LogicalDeviceConfiguration": "divides the CPU; a GPU stays one device",
    "tf.config.experimental.set_memory_growth": "accepted; the settings of jax decide",
    "tf.config.experimental_connect_to_cluster": "for this machine alone",
    "tf.config.set_logical_device_configuration": "divides the CPU; a GPU stays one device",
    "tf.debugging.set_log_device_placement": "accepted; nothing is logged",
    "tf.distribute.NcclAllReduce": "accepted; XLA chooses how devices exchange values",
    "tf.distribute.TPUStrategy": "one replica",
    "tf.saved_model.save": 'writes its own format, and TensorFlow\'s with `format="tensorflow"`',
    "tf.train.Checkpoint": "reads TensorFlow's files, and writes its own format",
}
# Why something is not there, where no hint says what to use in its place.
REASONS = {
    "horovod": "Horovod works on TensorFlow's own tensors",
    "tf.keras.Model.compiled_loss": "use `compute_loss`",
    "tf.keras.Model.compiled_metrics": "use `compute_metrics`",
    "tf.keras.metrics.Metric.reset_states": "TensorFlow 2.21 neither: Keras 3 has `reset_state`",
    "tf.keras.optimizers.Optimizer.lr": "TensorFlow 2.21 neither: Keras 3 has `learning_rate`",
    "tf.keras.optimizers.Optimizer.minimize": "TensorFlow 2.21 neither: Keras 3 has `apply_gradients`",
}
MARKS = {support.SUPPORTED: "supported", support.PARTLY: "partly", support.MISSING: "not"}


class Row(NamedTuple):
    """One line of the table."""

    name: str
    label: str
    status: str
    note: str
    count: int


def rows(section: dict) -> list[Row]:
    """The lines of one section of the survey."""
    return [_row(entry) for entry in section["names"]]


def _row(entry: dict) -> Row:
    name = entry["name"]
    status, note = _status(name)
    absent = [other for other in entry.get("also", ()) if _status(other)[0] == support.MISSING]
    if absent and status == support.SUPPORTED:
        status, note = support.PARTLY, "not as " + ", ".join(f"`{other}`" for other in absent)
    return Row(name, entry.get("feature", ""), status, note, entry["count"])


def _status(name: str) -> tuple[str, str]:
    plain, _, parameter = name.rstrip(")").partition("(")
    try:
        value = support.find(plain)
        if not plain.startswith("tf."):
            raise AttributeError(plain)
        if parameter and parameter not in inspect.signature(value).parameters:
            raise AttributeError(parameter)
        if (instead := support.refusal(plain)) is not None:
            return support.MISSING, _short(instead)
    except (AttributeError, ImportError):
        if not _on_an_instance(plain):
            return support.MISSING, REASONS.get(plain) or _short(hints.hint(plain))
    return (support.PARTLY, PARTLY[plain]) if plain in PARTLY else (support.SUPPORTED, "")


def _short(hint: str) -> str:
    return hint.removeprefix("The nearest it has: ").rstrip(".")


def _on_an_instance(name: str) -> bool:
    """Optimizers have their learning rate and their step from the moment they are made."""
    kind, _, member = name.rpartition(".")
    return kind == "tf.keras.optimizers.Optimizer" and hasattr(tf.keras.optimizers.SGD(), member)


# ---- the page


def page(survey: list[dict]) -> str:
    """The table as Markdown."""
    tables = [(section, rows(section)) for section in survey]
    text = [
        "# What is supported",
        "",
        "A survey of programs with a `tf.GradientTape` (513 files of 186 public repositories) lists every name of "
        "TensorFlow that they use. This page says which of them tapeflow has. For one program, `tapeflow check "
        "script.py` says the same.",
        "",
        "The names are in groups, the most needed first. The first 71 names are all that half of the files use, "
        "together with the next 66 they are enough for three quarters, and so on. Keras has groups of its own, over "
        "the 399 files that use it. The counts say in how many files, or repositories, a name appears. "
        "`scripts/support_table.py` writes this page, and looks each name up in the package.",
        "",
        "| group | names | supported | partly | not |",
        "|---|---:|---:|---:|---:|",
    ]
    for section, table in tables:
        counts = [sum(row.status == status for row in table) for status in MARKS]
        text.append(
            f"| [{section['title']}](#{_anchor(section['title'])}) | {len(table)} | {' | '.join(map(str, counts))} |"
        )
    found = reference.namespaces()
    for section, table in tables:
        head = f"| name | {section['unit']} | tapeflow | note |"
        text += ["", f"## {section['title']}", "", head, "|---|---:|---|---|"]
        text += [f"| {_linked(row, found)} | {row.count} | {_shown(row.status)} | {row.note} |" for row in table]
    text += [
        "",
        "## Libraries, by their own tests",
        "",
        "`scripts/libraries.py` runs the tests of a library with tapeflow in the place of TensorFlow, and compares "
        "with what passes on TensorFlow 2.21. The counts are of the tests that have been run here so far. Of "
        "TensorFlow Probability's these are 38 files whole, and of nearly all others a sample: what a few seconds of "
        "processor time allow for each, in eager mode alone. What they run in graph mode runs eagerly here. Tests of "
        "layers by `tf_keras`, which is Keras 2, mostly fail. KerasHub's run without the package tensorflow-text on "
        "both sides, so most of its tests of text are in neither count.",
        "",
        *libraries.table(),
        "",
        "## Exports, by primitive",
        "",
        *exports.section(),
    ]
    return "\n".join(text) + "\n"


def _anchor(title: str) -> str:
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def _shown(status: str) -> str:
    return MARKS[status] if status == support.SUPPORTED else f"**{MARKS[status]}**"


def _linked(row: Row, found: list) -> str:
    """The name with a link to its documentation: ours, or TensorFlow's for Keras and for what is not there."""
    plain = row.name.partition("(")[0]
    label = row.label.replace("|", "\\|") or f"`{plain}`"
    if not plain.startswith("tf."):
        return label
    if (own := reference.where(plain, found)) is not None:
        return f"[{label}]({own})"
    return f"[{label}](https://www.tensorflow.org/api_docs/python/{plain.replace('.', '/')})"


# ---- the data


def data(survey: list[dict]) -> str:
    """The table for `tapeflow check`: one line for each name."""
    names: dict[str, dict] = {}
    for section in survey:
        for row in rows(section):
            if row.label:
                continue  # features of the tape are no names
            entry = names.setdefault(row.name, {"status": row.status, **({"note": row.note} if row.note else {})})
            entry.setdefault(section["unit"], row.count)
    lines = [f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in sorted(names.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Writes both files, or compares them with what would be written."""
    survey = json.loads((ROOT / "scripts" / "survey.json").read_text(encoding="utf-8"))
    stale = 0
    for path, text in ((DATA, data(survey)), (PAGE, page(survey))):
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            stale = 1
            print(f"{path.relative_to(ROOT)} is not up to date: run python scripts/support_table.py", file=sys.stderr)
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
