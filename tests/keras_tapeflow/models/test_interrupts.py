"""Ctrl-C during training: what is learnt is neither lost nor torn."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("interrupted_steps.py")
ROOT = PROGRAM.parents[3]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts by a timer")
@pytest.mark.parametrize("times", [100, pytest.param(1000, marks=pytest.mark.long)])
def test_steps_of_every_kind(times):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XLA_FLAGS": ""}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", PROGRAM, str(times)], env=env, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == done.stdout.count("held") >= 8  # one more with a GPU
