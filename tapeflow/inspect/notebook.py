"""How a tape and an explanation show themselves in Jupyter: what their texts say, as tables."""

from html import escape
from typing import TYPE_CHECKING

from tapeflow.tape.gradient_tape import GradientTape

from . import summary
from .provenance import provenance_of

if TYPE_CHECKING:
    from .explain import Explanation, SourceReport

_HOW_TO_KNOW_MORE = (
    "Lines, layers and times: call tf.debugging.explain_gradients() before the tape opens. A page "
    "with pictures: tape.report()."
)


def tape_html(tape: GradientTape) -> str:
    """The summary as tables."""
    tables = "".join(_table(rows[0], rows[1:]) for rows in summary.tables(tape))
    hint = "" if provenance_of(tape._recording) is not None else f"<p><small>{escape(_HOW_TO_KNOW_MORE)}</small></p>"
    return f"<p>{escape(summary.headline(tape))}</p>{tables}{hint}"


def explanation_html(explanation: "Explanation") -> str:
    """A row for each source, with the cause, the place and the repair."""
    rows = [row for report in explanation for row in _source_rows(report)]
    return _table(["source", "gradient", "reason", "where", "repair"], rows, numbers=False)


def _source_rows(report: "SourceReport") -> list[list[str]]:
    state = "connected" if report.connected else "None"
    if not report.causes:
        return [[report.name, state, "", "", ""]]
    return [[report.name, state, cause.text, cause.where, cause.repair] for cause in report.causes]


def _table(head: list[str], rows: list[list[str]], numbers: bool = True) -> str:
    """Cells after the first are numbers, or not."""
    cell = lambda tag, k, text: (
        f'<{tag} style="text-align:{"right" if numbers and k else "left"}">{escape(text)}</{tag}>'
    )
    line = lambda tag, row: "<tr>" + "".join(cell(tag, k, text) for k, text in enumerate(row)) + "</tr>"
    return f"<table><thead>{line('th', head)}</thead><tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"
