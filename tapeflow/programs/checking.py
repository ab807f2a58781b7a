"""`tapeflow check`: which names of TensorFlow programs use, and whether tapeflow has them. Nothing is run."""

import ast
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import notebooks, support, symbols

ALL_THERE, SOMETHING_MISSING, UNREADABLE = 0, 1, 2
_SKIPPED_FOLDERS = {"__pycache__", "node_modules", "site-packages", "build", "dist"}


@dataclass
class FileReport:
    """The names that one program uses, with the lines, or why it could not be read. What it only tries (an import
    inside `try: … except ImportError:`) is not missed when it is not there."""

    path: str
    lines: dict[str, list[str]] = field(default_factory=dict)
    error: str = ""

    def answers(self, *statuses: str) -> list[support.Answer]:
        """What is known about the names, those with one of the statuses only."""
        return [one for name in self.lines if (one := support.answer(name)).status in statuses]


def check(paths: Sequence[str], as_json: bool = False, everything: bool = False) -> int:
    """Reports on programs, folders of programs and notebooks; returns the exit status."""
    reports = [report for path in paths for report in _reports(path)]
    if as_json:
        print(json.dumps({"files": [_as_data(report) for report in reports]}, indent=2, ensure_ascii=False))
    else:
        _print(reports, everything)
    if any(report.error for report in reports):
        return UNREADABLE
    return SOMETHING_MISSING if any(report.answers(support.MISSING) for report in reports) else ALL_THERE


def _reports(path: str) -> Iterator[FileReport]:
    if not Path(path).is_dir():
        yield read(path)
        return
    files = sorted(file for file in Path(path).rglob("*") if file.suffix in (".py", ".ipynb") and file.is_file())
    for file in files:
        inside = file.relative_to(path).parts[:-1]
        if not any(part.startswith(".") or part in _SKIPPED_FOLDERS for part in inside):
            yield read(str(file))


def read(path: str) -> FileReport:
    """The names that a program or a notebook uses."""
    try:
        if Path(path).suffix == ".ipynb":
            cells = notebooks.code_cells(Path(path).read_bytes())
            texts = [(f"cell {number}, line ", notebooks.plain_python(text)[0]) for number, text in cells]
        else:
            texts = [("", Path(path).read_bytes())]  # type: ignore[list-item]
        trees = [(where, _parsed(text)) for where, text in texts]
    except SyntaxError as error:
        return FileReport(path, error=f"line {error.lineno}: {error.msg}")
    except OSError as error:
        return FileReport(path, error=f"{error.strerror}")
    except ValueError as error:
        return FileReport(path, error=str(error))
    except (RecursionError, MemoryError):  # of the parser
        return FileReport(path, error=_DEEP)
    try:
        return FileReport(path, _lines(trees))
    except RecursionError:
        return FileReport(path, error=_DEEP)


_DEEP = "an expression in it is nested too deeply to be read, thousands of levels; write it in several statements"


def _parsed(text: str | bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the program's own, such as invalid escapes in its strings
        return ast.parse(text)


def _lines(trees: list[tuple[str, ast.Module]]) -> dict[str, list[str]]:
    """{name: places}, a notebook's cells read as one program."""
    whole = ast.Module([], [])
    numbers: list[str] = []
    for where, tree in trees:
        # Lines of all cells are counted through, so that the order of uses is the order of cells.
        last = max((getattr(node, "end_lineno", 0) or 0 for node in ast.walk(tree)), default=0)
        ast.increment_lineno(tree, len(numbers))
        numbers += [f"{where}{line}" for line in range(1, last + 1)]
        whole.body += tree.body
    lines: dict[str, list[str]] = {}
    for use in symbols.uses(whole, support.is_namespace, support.members):
        name = support.without_members(use.name)
        if not (use.guarded and support.answer(name).status == support.MISSING):
            lines.setdefault(name, []).append(numbers[use.line - 1])
    return lines


def _as_data(report: FileReport) -> dict:
    entry = lambda one: {
        "name": one.name,
        "status": one.status,
        "lines": report.lines[one.name],
        "note": one.note,
        "files": one.files,
    }
    names = [entry(one) for one in report.answers(support.SUPPORTED, support.PARTLY, support.MISSING)]
    return {"path": report.path, "error": report.error or None, "symbols": names}


def _print(reports: list[FileReport], everything: bool) -> None:
    for report in reports:
        if report.error:
            print(f"tapeflow: {report.path}: {report.error}", file=sys.stderr)
            continue
        missing, partly = report.answers(support.MISSING), report.answers(support.PARTLY)
        if not report.lines:
            print(f"{report.path}: does not use TensorFlow")
            continue
        counts = [f"{len(missing)} missing" if missing else "", f"{len(partly)} partly there" if partly else ""]
        rest = "".join(f", {count}" for count in counts if count)
        print(f"{report.path}: {len(report.lines) - len(missing)} of {len(report.lines)} names are there{rest}")
        for one in (
            report.answers(support.SUPPORTED, support.PARTLY, support.MISSING) if everything else [*missing, *partly]
        ):
            places = report.lines[one.name]
            where = ", ".join(places[:5]) + (f", … ({len(places)} lines)" if len(places) > 5 else "")
            where = where if where.startswith("cell") else f"line {where}"
            print(f"  {one.status:9} {one.name}  ({where})" + (f"\n            {one.note}" if one.note else ""))
