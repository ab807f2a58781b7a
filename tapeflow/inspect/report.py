"""`tape.report("tape.html")`: what a tape recorded, as a page that a browser opens without a server: picture, memory,
times, gradients."""

import contextlib
import json
import os
from html import escape
from pathlib import Path
from typing import Any

from tapeflow.core.runtime.files import replace
from tapeflow.tape.gradient_tape import GradientTape

_PAGE = Path(__file__).parent / "page"
_PROGRAM = ("base.js", "graph.js", "details.js", "search.js", "charts.js", "page.js")


class Report:
    """A page about a tape. Printed, it is the path it was written to; in Jupyter it shows itself; `html` is the whole
    page."""

    def __init__(self, html: str, path: str | None) -> None:
        self.html, self.path = html, path

    def __str__(self) -> str:
        return self.path or f"A report of {len(self.html):,} characters, not written to a file."

    def __repr__(self) -> str:
        return f"Report({str(self)!r})"

    def _repr_html_(self) -> str:
        style = "width:100%;height:860px;border:1px solid #8884;border-radius:6px"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.html)}"></iframe>'


def report(tape: GradientTape, path: str | os.PathLike[str] | None = None) -> Report:
    """`tape.report`."""
    from .report_data import data_of  # on first use: it takes a while

    html = page(data_of(tape))
    if path is None:
        return Report(html, None)
    target = os.fspath(path)
    _write(target, html)
    return Report(html, target)


def _write(path: str, text: str) -> None:
    """All of it, or nothing: a page that is open elsewhere is never half of one."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with open(temporary, "x", encoding="utf-8", newline="") as file:
            file.write(text)
        replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def page(data: dict[str, Any]) -> str:
    """The templates and the data in one file, which asks for nothing else."""
    read = lambda name: (_PAGE / name).read_text(encoding="utf-8")
    # "<" is the only character by which a text could end the script that it is in.
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    html = (
        read("page.html")
        .replace("/* style */", read("page.css"))
        .replace("/* program */", "\n".join(map(read, _PROGRAM)))
    )
    return html.replace("/* data */", text)
