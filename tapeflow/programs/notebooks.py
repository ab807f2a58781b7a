"""Notebooks as programs: the code cells, without what only IPython understands."""

import json
import re
from typing import Any

# Cell magics whose cell is Python all the same; the cells of others (%%bash, %%writefile, %%html, …) are left out.
_PYTHON_CELLS = {"capture", "time", "timeit", "prun", "python", "python3", "tensorflow_version"}
# Line magics that run the statement behind them.
_STATEMENT_MAGICS = re.compile(r"%(time|prun)\s+(?!-)(?=\S)")
_NOT_PYTHON = re.compile(r"\s*([%!?]|[\w.]+\?)")
_ASSIGNED = re.compile(r"\s*[\w, ]+=\s*[%!]")


class NotANotebook(ValueError):
    """The file is no notebook that can be read."""


def code_cells(content: bytes) -> list[tuple[int, str]]:
    """(number, source) of the code cells, numbered from 1 among all cells."""
    try:
        notebook: Any = json.loads(content)
        cells = (
            notebook["cells"]
            if "cells" in notebook
            else [c for sheet in notebook["worksheets"] for c in sheet["cells"]]
        )
        texts = [(n, c.get("source", c.get("input", ""))) for n, c in enumerate(cells, 1) if c["cell_type"] == "code"]
        return [(number, text if isinstance(text, str) else "".join(text)) for number, text in texts]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotANotebook(f"it is not a notebook ({type(error).__name__}: {error})") from error


def plain_python(text: str) -> tuple[str, list[tuple[int, str]]]:
    """A cell as plain Python with the same line numbers, and (line, what) for each line that was left out.

    A line counts as IPython's only where Python does not understand it, so a `%` that begins a line of an expression
    stays.

    >>> from tapeflow.programs.notebooks import plain_python
    >>> plain_python("!pip install tensorflow\\nx = (7\\n% 4)\\n%time print(x)")
    ('pass\\nx = (7\\n% 4)\\nprint(x)', [(1, '!pip install tensorflow')])
    """
    lines, skipped = text.splitlines(), []
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines and lines[first].startswith("%%"):
        magic = lines[first].lstrip("%").split()[:1]
        skipped.append(
            (first + 1, lines[first] if magic and magic[0] in _PYTHON_CELLS else f"the cell {lines[first]}")
        )
        lines = [*lines[:first], "pass", *lines[first + 1 :]] if magic and magic[0] in _PYTHON_CELLS else []
    for _ in range(len(lines)):
        number = _line_of_error("\n".join(lines))
        if number is None or not (replaced := _replaced(lines[number - 1])):
            break
        if not _STATEMENT_MAGICS.match(lines[number - 1].strip()):
            skipped.append((number, lines[number - 1].strip()))
        lines[number - 1] = replaced
    return "\n".join(lines), skipped


def _line_of_error(text: str) -> int | None:
    try:
        compile(text, "<cell>", "exec")
    except SyntaxError as error:
        return error.lineno if error.lineno and error.lineno <= text.count("\n") + 1 else None
    except ValueError:
        return None
    return None


def _replaced(line: str) -> str:
    """What stands for a line that is not Python; empty when it is nothing of IPython's either."""
    indent = line[: len(line) - len(line.lstrip())]
    if _STATEMENT_MAGICS.match(line.strip()):
        return indent + _STATEMENT_MAGICS.sub("", line.strip(), count=1)
    if _ASSIGNED.match(line):
        message = (
            f"This line asks IPython or a shell for a value, and there is none under `tapeflow run`: {line.strip()}"
        )
        return f"{indent}raise RuntimeError({message!r})"
    return f"{indent}pass" if _NOT_PYTHON.match(line) else ""
