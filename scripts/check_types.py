"""What type checkers say of programs that use tapeflow: `python scripts/check_types.py`, part of `make lint`.

basedpyright and mypy read `tests/typing/programs` strictly, and basedpyright the examples as well, as an editor does:
tapeflow is an installed package to them. They find nothing there, and in `tests/typing/mistakes.py` exactly the lines
that end in `# wrong`.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

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
        if d["severity"] in ("error", "warning") and not (file.startswith("examples/keras_") and rule in OF_KERAS):
            found.append(Finding(file, d["range"]["start"]["line"] + 1, f"{d['message']} ({rule})"))
    return found


def by_mypy() -> list[Finding]:
    said = _output("-m", "mypy", "--strict", "--no-error-summary", "tests/typing/programs", MISTAKES)
    found = []
    for line in said.splitlines():
        if match := re.fullmatch(r"(.+?):(\d+): error: (.*)", line):
            found.append(Finding(_relative(match[1]), int(match[2]), match[3]))
        elif ": note: " not in line:
            sys.exit(said)
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
    wrong = complaints("basedpyright", by_basedpyright()) + complaints("mypy", by_mypy())
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))
