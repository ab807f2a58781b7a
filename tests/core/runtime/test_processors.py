"""Processors are counted as the process may use them; OpenBLAS has no more threads than a container has processors."""

import os
import subprocess
import sys

import pytest

from tapeflow.core.runtime import processors as module
from tapeflow.core.runtime.processors import fit_blas, processors


@pytest.fixture
def group(monkeypatch, tmp_path):
    """A machine of 8 processors, without limits so far."""
    monkeypatch.setattr(module, "_CGROUPS", str(tmp_path))
    monkeypatch.setattr(module, "_of_affinity", lambda: 8)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "count"), [("max 100000", 8), ("150000 100000", 2), ("50000 100000", 1), ("900000 100000", 8), ("odd", 8)]
)
def test_the_limit_of_a_control_group(group, text, count):
    (group / "cpu.max").write_text(text)
    assert processors() == count


@pytest.mark.parametrize(("quota", "count"), [("300000", 3), ("-1", 8)])
def test_the_limit_of_an_older_control_group(group, quota, count):
    (group / "cpu").mkdir()
    (group / "cpu" / "cpu.cfs_quota_us").write_text(quota + "\n")
    (group / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    assert processors() == count


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"])
def test_the_environment_has_a_say(group, monkeypatch, name):
    assert processors() == 8
    monkeypatch.setenv(name, "3")
    assert processors() == 3
    monkeypatch.setenv(name, "odd")
    assert processors() == 8


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process cannot be bound to processors")
def test_processors_are_those_that_the_process_may_use():
    program = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); " + (
        "from tapeflow.core.runtime.processors import processors; print(processors())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


class OpenBLAS:
    """In the place of NumPy's: changing its threads would slow down the other tests."""

    def __init__(self):
        self.threads = None

    def scipy_openblas_set_num_threads64_(self, count):
        self.threads = count


def test_openblas_has_no_more_threads_than_the_group_has_processors(group, monkeypatch):
    library = OpenBLAS()
    monkeypatch.setattr(module.glob, "glob", lambda pattern: ["libscipy_openblas64_.so"])
    monkeypatch.setattr(module.ctypes, "CDLL", lambda path: library)
    assert not fit_blas() and library.threads is None  # no limit
    (group / "cpu.max").write_text("200000 100000")
    assert fit_blas() and library.threads == 2
    library.threads = None
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "5")  # somebody has decided
    assert not fit_blas() and library.threads is None


def test_numpys_own_library_is_found(group):
    """Under the names that NumPy's wheels have on this machine, if it is from one of those."""
    import numpy as np

    if not any("scipy-openblas" in str(part) for part in np.show_config(mode="dicts")["Build Dependencies"].values()):
        pytest.skip("NumPy multiplies by another library")
    program = (
        "from tapeflow.core.runtime import processors as p; p._CGROUPS = {!r}; p._of_affinity = lambda: 8; "
        "import os; [os.environ.pop(n, None) for n in p._WORDS]; print(p.fit_blas())"
    )
    (group / "cpu.max").write_text("100000 100000")
    done = subprocess.run(
        [sys.executable, "-c", program.format(str(group))], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"
