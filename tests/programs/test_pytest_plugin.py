"""`pytest -p tapeflow.programs.pytest_plugin`: tests that say `import tensorflow`, run on tapeflow."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEST = """
import tensorflow as tf

def test_it():
    assert type(tf.constant(1.0)).__module__ == "tensorflow.python.framework.ops"
    assert "tapeflow" in tf.__file__
"""


@pytest.mark.parametrize("processes", [[], ["-n", "1"]])
def test_tests_find_tapeflow(tmp_path, processes):
    (tmp_path / "test_program.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tapeflow.programs.pytest_plugin"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command, *processes], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
