"""Clusters and several processes: every row of `processes.md` is a test."""

import re
import sys

import pytest

import tapeflow as tf

from .table import SPEC, matches, prelude, rows, run

pytest.importorskip("jax", reason="the extra `xla` is not installed")
TABLES = SPEC.with_name("processes.md")
ROWS = rows(TABLES)
START = compile(prelude(TABLES), str(TABLES), "exec")


def test_every_row_is_read():
    numbered = re.findall(r"^\| (\d+\.\d+) ", TABLES.read_text(encoding="utf-8"), re.M)
    assert [row.number for row in ROWS] == numbered and len(numbered) == 25


def starts_processes(row):
    return "workers(" in row.program


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, marks=pytest.mark.long) if starts_processes(row) else row for row in ROWS],
    ids=[row.number for row in ROWS],
)
def test_row(row, monkeypatch):
    for name in ("TF_CONFIG", "SLURM_PROCID", "OMPI_COMM_WORLD_SIZE", "TAPEFLOW_WORKERS"):
        monkeypatch.setenv(name, "")  # so that it is put back, whatever the row leaves there
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", str(SPEC.parents[2]))
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    got = run(row.program, START)
    assert matches(row.expected, got), f"\n{row.program}\nexpected {row.expected}\ngot      {got}\n{row.note}"
