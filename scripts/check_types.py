"""What type checkers say of programs that use tapeflow: `python scripts/check_types.py`, part of `make lint`.

basedpyright and mypy read `tests/typing/programs` strictly, and basedpyright the examples as well, as an editor does:
tapeflow is an installed package to them. They find nothing there, and in `tests/typing/mistakes.py` exactly the lines
that end in `# wrong`. Of every public name, and of what its class has, basedpyright knows the type: where a part of a
signature is unknown (`list` for `list[Any]`, a function that a table makes), a strict checker objects to each use.
"""

import inspect
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow.names import attributes
from tapeflow.names.public import public_names, value_of

ROOT = Path(__file__).resolve().parent.parent
MISTAKES = "tests/typing/mistakes.py"

# Keras' parameters have no annotations, so that pyright takes them for what their defaults are, and what its backends
# share for what the first of them says.
OF_KERAS = {"reportArgumentType", "reportOptionalOperand", "reportOperatorIssue"}


class Finding(NamedTuple):
    file: str
    line: int
    text: str


def by_basedpyright() -> list[Finding]:
    said = _output("-m", "basedpyright", "-p", "tests/typing", "--pythonpath", sys.executable, "--outputjson")
    report = json.loads(said)
    if not report["summary"]["filesAnalyzed"]:
        sys.exit("basedpyright found no files to read.")
    found = []
    for d in report["generalDiagnostics"]:
        file, rule = _relative(d["file"]), d.get("rule", "")
        if d["severity"] in ("error", "warning") and not (rule in OF_KERAS and _uses_keras(file)):
            found.append(Finding(file, d["range"]["start"]["line"] + 1, f"{d['message']} ({rule})"))
    return found


def _uses_keras(file: str) -> bool:
    return file.startswith("examples/") and "keras" in (ROOT / file).read_text(encoding="utf-8")


def by_mypy() -> list[Finding]:
    said = _output("-m", "mypy", "--strict", "--no-error-summary", "tests/typing/programs", MISTAKES)
    found = []
    for line in said.splitlines():
        if match := re.fullmatch(r"(.+?):(\d+): error: (.*)", line):
            found.append(Finding(_relative(match[1]), int(match[2]), match[3]))
        elif ": note: " not in line:
            sys.exit(said)
    return found


# What tensors have when they behave as arrays of NumPy (`tf.experimental.numpy.experimental_enable_numpy_behavior`),
# or in a model of Keras that is being built.
ONLY_SOMETIMES = set("astype clip max mean min ravel reshape to_device tolist trainable transpose".split())
GENERIC = {tf.data.Dataset: "[int]", tf.data.Iterator: "[int]", tf.types.experimental.Callable: "[..., int]"}


def every_name() -> list[str]:
    """A program whose lines are the public names, and after each class what its objects have."""
    lines = ["# pyright: strict, reportUnusedExpression=false", "import tapeflow as tf"]
    shown = set()
    for name in public_names():
        value = value_of(name)
        if isinstance(value, ModuleType):
            continue
        lines.append(name)
        if inspect.isclass(value) and value.__module__.startswith("tapeflow") and value not in shown:
            shown.add(value)
            if members := members_of(value):
                lines.append(f"def of_{len(lines)}(x: {name}{GENERIC.get(value, '')}) -> None:")
                lines += [f"    x.{member}" for member in members]
    return lines


def members_of(cls: type) -> list[str]:
    own = [base for base in cls.__mro__ if base.__module__.startswith("tapeflow")]
    found: dict[str, Any] = {}
    for base in reversed(own):
        found |= vars(base)
    hidden = ONLY_SOMETIMES if issubclass(cls, tf.Tensor) else set()
    return sorted(
        name
        for name, value in found.items()
        if not name.startswith("_") and name not in hidden and not isinstance(value, attributes.Absent)
    )


def unknown_names() -> list[str]:
    lines = every_name()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "names.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
        Path(folder, "pyrightconfig.json").write_text(
            '{"typeCheckingMode": "strict", "pythonVersion": "3.11"}', encoding="utf-8"
        )
        said = _output("-m", "basedpyright", "-p", folder, "--pythonpath", sys.executable, "--outputjson")
    report = json.loads(said)
    if not report["summary"]["filesAnalyzed"]:
        sys.exit("basedpyright found no names to read.")
    found = []
    for d in report["generalDiagnostics"]:
        if d["severity"] in ("error", "warning"):
            line = d["range"]["start"]["line"]
            of = next((above for above in lines[line::-1] if above.startswith("def ")), "") * lines[line].startswith(
                " "
            )
            found.append(f"{of}{lines[line]}: basedpyright: {d['message']} ({d.get('rule', '')})")
    return found


def _output(*command: str) -> str:
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True).stdout


def _relative(file: str) -> str:
    return (ROOT / file).relative_to(ROOT).as_posix()


def complaints(checker: str, found: list[Finding]) -> list[str]:
    """What is not as it should be: mistakes that were missed, and lines that are none."""
    source = (ROOT / MISTAKES).read_text(encoding="utf-8").splitlines()
    planted = {number for number, line in enumerate(source, 1) if line.endswith("# wrong")}
    seen = {finding.line for finding in found if finding.file == MISTAKES}
    missed = [f"{MISTAKES}:{n}: {checker} does not find this mistake: {source[n - 1]}" for n in sorted(planted - seen)]
    return missed + [
        f"{finding.file}:{finding.line}: {checker}: {finding.text}"
        for finding in found
        if finding.file != MISTAKES or finding.line not in planted
    ]


if __name__ == "__main__":
    wrong = complaints("basedpyright", by_basedpyright()) + complaints("mypy", by_mypy()) + unknown_names()
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))
