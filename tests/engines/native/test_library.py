"""The library: on, off, or not there; how many threads it has."""

import os
import subprocess
import sys

import pytest

from tapeflow.engines.native import library as module
from tapeflow.engines.native.library import Library, processors

PROGRAM = """
import tapeflow as tf
from tapeflow.core.contracts import supplied
x = tf.linspace(-3.0, 3.0, 20000)
print(supplied.native is None, float(tf.reduce_sum(tf.nn.gelu(x))))
from tapeflow.engines.native.library import library
print(library.state)
"""


def said(**environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    first, state = done.stdout.splitlines()
    without, total = first.split()
    return without == "True", float(total), state


def test_the_environment_turns_it_off():
    without, total, state = said(TAPEFLOW_NATIVE="0")
    assert without and state == "off: TAPEFLOW_NATIVE is 0"
    assert total == pytest.approx(said()[1], rel=1e-5)


def test_a_missing_library_is_no_error(monkeypatch, tmp_path):
    monkeypatch.delenv("TAPEFLOW_NATIVE", raising=False)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    found = Library()
    assert found.functions is None and "without a C compiler" in found.state


def test_another_file_is_not_used(monkeypatch, tmp_path):
    monkeypatch.delenv("TAPEFLOW_NATIVE", raising=False)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    (tmp_path / module.file_name(1)).write_text("no library")
    found = Library()
    assert found.functions is None and found.state.startswith("not usable: ")


def test_a_library_of_other_sources_is_not_used(monkeypatch):
    if module.library.functions is None:
        pytest.skip(f"the C library is {module.library.state}")
    monkeypatch.setattr(module, "digest", lambda: "of other sources")
    found = Library()
    assert found.functions is None and found.state == "out of date: install the package again"


@pytest.mark.parametrize(
    ("text", "count"), [("max 100000", None), ("150000 100000", 2), ("50000 100000", 1), ("odd", None)]
)
def test_the_limit_of_a_control_group(tmp_path, text, count):
    (tmp_path / "cpu.max").write_text(text)
    assert module._limit(tmp_path) == (count or sys.maxsize)


def test_the_limit_of_an_older_control_group(tmp_path):
    assert module._limit(tmp_path) == sys.maxsize
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("300000\n")
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    assert module._limit(tmp_path) == 3


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"])
def test_the_environment_has_a_say(monkeypatch, name):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8), raising=False)
    monkeypatch.setattr(module, "_limit", lambda folder: 8)
    for other in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.delenv(other, raising=False)
    assert processors() == 8
    monkeypatch.setenv(name, "3")
    assert processors() == 3
    monkeypatch.setenv(name, "odd")
    assert processors() == 8


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process cannot be bound to processors")
def test_processors_are_those_that_the_process_may_use():
    program = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); " + (
        "from tapeflow.engines.native.library import processors; print(processors())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n" and processors() >= 1
