"""Runs every Python block of the documentation: `python scripts/docs_check.py [FILE ...]` (all of it without a file).

The blocks of one file share their names, in order. A statement that ends in `# -> text`, or is followed by a line
`# -> text`, which lines of `#    text` continue, must print that text, or be an expression with that repr; `...` in
the text stands for anything. A block is left out only when the line before it says why, visibly in the source:
`<!-- not run: reason -->`. After a line `<!-- a program -->` the block is a file that Python runs by itself, as
programs that start processes want it; it prints what its `# ->` say, in order.
"""

import ast
import contextlib
import doctest
import importlib
import io
import itertools
import linecache
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # blocks may import `tests`, too
from tests.rounding import same_text  # noqa: E402

BLOCK = re.compile(
    r"((?P<skip><!-- not run: \S[^\n]*-->)\n+|(?P<program><!-- a program -->)\n+)?^```python\n(?P<code>.*?)^```$",
    re.M | re.S,
)
EXPECTED = re.compile(r"#\s*->\s*(.*)$")
BELOW, CONTINUED = "# -> ", "#    "


class Block(NamedTuple):
    line: int  # of the first line of code
    code: str
    skipped: bool
    program: bool


def files() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str) -> list[Block]:
    return [
        Block(text.count("\n", 0, m.start("code")) + 1, m["code"], bool(m["skip"]), bool(m["program"]))
        for m in BLOCK.finditer(text)
    ]


def problems(path: Path) -> list[str]:
    """Runs the file's blocks in this process; one text for each thing that is wrong."""
    found: list[str] = []
    names: dict = {"__name__": "__docs__"}
    text = path.read_text(encoding="utf-8")
    linecache.cache[path.name] = (
        len(text),
        None,
        text.splitlines(True),
        path.name,
    )  # functions are asked for their source
    for block in blocks(text):
        if block.skipped:
            continue
        lines = block.code.splitlines()
        if block.program:
            expected, got = "\n".join(filter(None, map(said, lines))), printed_by(block.code)
            if not same(expected, got):
                found.append(f"{path.name}:{block.line}: expected {expected!r}, got {got!r}")
            continue
        for statement in ast.parse(block.code).body:
            place = f"{path.name}:{block.line + statement.lineno - 1}"
            expected = expectation(lines, statement.end_lineno)
            try:
                got = outcome(ast.increment_lineno(statement, block.line - 1), path.name, names)
            except Exception as error:
                found.append(f"{place}: {type(error).__name__}: {error}")
                break
            if expected is not None and not same(expected, got):
                found.append(f"{place}: expected {expected!r}, got {got!r}")
    return found


def expectation(lines: list[str], end: int) -> str | None:
    """What the statement that ends in line `end` has to print: said on that line, or below it."""
    if match := EXPECTED.search(lines[end - 1]):
        return match[1]
    if end == len(lines) or not lines[end].startswith(BELOW):
        return None
    below = itertools.takewhile(lambda line: line.startswith((BELOW, CONTINUED)), lines[end:])
    return "\n".join(line.removeprefix(BELOW).removeprefix(CONTINUED) for line in below)


def said(line: str) -> str | None:
    match = EXPECTED.search(line)
    return match and match[1]


def printed_by(code: str) -> str:
    """What a program prints that is in a file of its own; its traceback, if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "program.py"], capture_output=True, text=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    return done.stdout + (done.stderr if done.returncode else "")


def outcome(statement: ast.stmt, file: str, names: dict) -> str:
    """What the statement prints, or the repr of its value."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), file, "eval"), names)
            return printed.getvalue() if value is None else printed.getvalue() + repr(value)
        exec(compile(ast.Module([statement], []), file, "exec"), names)
    return printed.getvalue()


def same(expected: str, got: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(expected + "\n", got.strip() + "\n", flags) or same_text(expected, got)


def main(arguments: list[str]) -> int:
    if len(arguments) == 1:
        if seed := os.environ.get("PERTURBED"):
            importlib.import_module("tests.perturbation").install(seed)
        found = problems(Path(arguments[0]).resolve())
        print("\n".join(found))
        return bool(found)
    failed = False
    for path in [
        Path(a) for a in arguments
    ] or files():  # a process each: a block may declare primitives or change settings
        done = subprocess.run([sys.executable, __file__, str(path)], capture_output=True, text=True, cwd=ROOT)
        count = sum(not block.skipped for block in blocks(path.read_text(encoding="utf-8")))
        print(f"{path.name}: {count} blocks {'fail' if done.returncode else 'run'}")
        if done.returncode:
            failed = True
            print(done.stdout + done.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
