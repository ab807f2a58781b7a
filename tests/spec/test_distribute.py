"""Replicas on one machine: every row of `distribute.md` is a test."""

import json
import re
import subprocess
import sys

import pytest

import tapeflow as tf
from tests.distribute.cpus import four_cpus  # noqa: F401

from .table import SPEC, matches, prelude, rows, run

TABLES = SPEC.with_name("distribute.md")
ROWS = rows(TABLES)
# How often Python is traced: once for all replicas where XLA has a device for each, and that is in the long test.
ON_DEVICES = {"2.38", "2.39", "11.31"}
START = compile(prelude(TABLES), str(TABLES), "exec")


def test_every_row_is_read():
    numbered = re.findall(r"^\| (\d+\.\d+) ", TABLES.read_text(encoding="utf-8"), re.M)
    assert [row.number for row in ROWS] == numbered
    assert len(set(numbered)) == len(numbered) > 400
    assert not [row.number for row in ROWS if "WART" in row.note]


def differing(row, got):
    return f"\n{row.program}\nexpected {row.expected}\ngot      {got}\n{row.note}"


@pytest.mark.parametrize("row", [row for row in ROWS if row.number not in ON_DEVICES], ids=lambda row: row.number)
def test_row(row, monkeypatch):
    """By turns, if XLA has begun with one CPU."""
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    got = run(row.program, START)
    assert matches(row.expected, got), differing(row, got)


@pytest.mark.long
def test_rows_on_devices_of_their_own():
    """In a process in which each CPU is a device of XLA."""
    command = [sys.executable, "-m", "tests.spec.table", "all", TABLES.name]
    lines = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=SPEC.parents[2]
    ).stdout.splitlines()
    found = dict(map(json.loads, lines))
    wrong = [differing(row, found[row.number]) for row in ROWS if not matches(row.expected, found[row.number])]
    assert not wrong, "\n".join(wrong)
