"""`keras.distribution` on eight devices: every row of `keras_distribution.md` is a test."""

import re

import pytest

from tests.several_devices import on_eight_devices

from .table import SPEC, matches, prelude, rows, run

pytest.importorskip("jax", reason="the extra `xla` is not installed")
TABLES = SPEC.with_name("keras_distribution.md")
ROWS = rows(TABLES)
START = compile(prelude(TABLES), str(TABLES), "exec")
TRAINING = {"14.16", "14.17", "14.22", "14.26", "14.27"}  # which compile a model


def test_every_row_is_read():
    numbered = re.findall(r"^\| (\d+\.\d+) ", TABLES.read_text(encoding="utf-8"), re.M)
    assert [row.number for row in ROWS] == numbered and len(numbered) == 28


def check(wanted):
    found = [(row, run(row.program, START)) for row in ROWS if wanted(row)]
    wrong = [(row, got) for row, got in found if not matches(row.expected, got)]
    assert not wrong, "\n".join(f"{row.program}\nexpected {row.expected}\ngot      {got}" for row, got in wrong)


@on_eight_devices
def test_rows():
    check(lambda row: row.number not in TRAINING)


@pytest.mark.long
@on_eight_devices
def test_rows_of_training():
    check(lambda row: row.number in TRAINING)
