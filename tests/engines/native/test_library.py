"""The library: on, off, or not there; how many threads it has."""

import os
import subprocess
import sys

import pytest

from tapeflow.engines.native import library as module
from tapeflow.engines.native.library import Library

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
