"""The executable specification: every row of `gradient_tape.md` is a test."""

import gc
import logging
import re
import signal
import subprocess
import sys

import pytest

import tapeflow as tf

from .later import IN_WORDS, LATER, SECTIONS
from .table import SPEC, Row, matches, prelude, rows, run

ROWS = rows()
START = compile(prelude(), str(SPEC), "exec")
SECONDS_A_ROW = 600  # of a clock on the wall, next to others
ALONE = {"8.410"}  # throws a switch for the whole process


def listed(ranges: str, row: Row) -> bool:
    """Is the row in "3.1-3.20 4.116"?"""
    place = lambda text: tuple(map(int, text.split(".")))
    return any(
        place(first) <= row.place <= place(last or first)
        for first, _, last in (item.partition("-") for item in ranges.split())
    )


def why_later(row: Row) -> str | None:
    return next((reason for reason, ranges in LATER.items() if listed(ranges, row)), None)


def cases():
    for row in ROWS:
        if row.number not in IN_WORDS:
            reason = why_later(row)
            # Strict: a row that starts to hold fails the suite until it is taken off the list.
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            yield pytest.param(row, id=row.number, marks=marks)


def test_every_row_is_read():
    """A row that the pattern of the reader missed would never be run."""
    numbered = re.findall(r"^\| (\d+\.\d+) ", SPEC.read_text(encoding="utf-8"), re.M)
    assert [row.number for row in ROWS] == numbered
    assert len(set(numbered)) == len(numbered) > 1900


def test_every_difference_from_tensorflow_is_settled():
    """A row marked WART still has TensorFlow's result: only rows that wait for a later part may have it."""
    settled = lambda row: row.section in SECTIONS or why_later(row) is not None
    open_rows = [row.number for row in ROWS if "WART" in row.note and not settled(row)]
    assert not open_rows


def test_the_comparison_tells_values_apart():
    assert matches("`f32[2] [1.0, -0.0]`", "f32[2] [1.00001, 0.0]")
    assert not matches("`f32[2] [1.0, 2.0]`", "f32[2] [1.001, 2.0]")
    assert not matches("`f32 1.0`", "f64 1.0")
    assert not matches("`f32 nan`", "f32 1.0")
    assert not matches("`None`", "f32 0.0")
    assert matches("raises `ValueError`: some words", "raises ValueError: other words")
    assert not matches("raises `ValueError`: some words", "raises TypeError: some words")


@pytest.fixture
def as_tensorflow(monkeypatch):
    """Programs may say `import tensorflow`; nothing that they log is printed."""
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    logger = logging.getLogger("tapeflow")
    monkeypatch.setattr(logger, "handlers", [logging.NullHandler()])
    monkeypatch.setattr(logger, "propagate", False)


@pytest.fixture
def time_limit():
    if not hasattr(signal, "SIGALRM"):  # on Windows there is none
        yield
        return

    def on_alarm(*_):
        raise TimeoutError(f"no answer in {SECONDS_A_ROW} s")

    before = signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(SECONDS_A_ROW)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("row", list(cases()))
def test_row(row, as_tensorflow, time_limit):
    if row.number in ALONE:
        command = [sys.executable, "-m", "tests.spec.table", row.number]
        got = subprocess.run(command, capture_output=True, text=True, check=True, cwd=SPEC.parents[2]).stdout.strip()
    else:
        got = run(row.program, START)
        gc.collect(0)
    assert matches(row.expected, got), f"\n{row.program}\nexpected {row.expected}\ngot      {got}\n{row.note}"
