"""Gives the answers to what a tape can be asked about itself: `tape.explain`, `tape.summary`, `tape.report`."""

from tapeflow.tape.questions import answered_by

from . import keeping
from .explain import explain
from .notebook import tape_html
from .report import report
from .summary import summary


class _Answers:
    explain = staticmethod(explain)
    summary = staticmethod(summary)
    report = staticmethod(report)
    tape_html = staticmethod(tape_html)


answered_by(_Answers())
keeping.install()
