"""The example with the launcher: as many workers as one likes have the losses of one, also when one is killed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
ROOT = Path(__file__).resolve().parents[2]


def launched(backup, *options, epochs=5):
    """(What was said, the numbers in it by worker and by what they are)."""
    split = options.index("--kill") if "--kill" in options else len(options)
    done = subprocess.run(
        [sys.executable, "-m", "tapeflow", "launch", *options[:split], "examples/several_workers.py",
         "--epochs", str(epochs), "--backup", str(backup), *options[split:]],
        capture_output=True, text=True, timeout=400, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"(?m)^\[(\d)\] (losses|afterwards): (.*)$", done.stdout)
    numbers = {(int(k), what): [float(n) for n in re.findall(r"\d\.\d+", text)] for k, what, text in found}
    return done.stdout + done.stderr, numbers


@pytest.mark.long
def test_all_have_the_losses_of_one_also_after_a_loss(tmp_path):
    _, one = launched(tmp_path / "one", "--workers", "1")
    assert one[0, "losses"][-1] < 0.6 * one[0, "losses"][0]
    _, two = launched(tmp_path / "two", "--workers", "2")
    for k in range(2):
        assert two[k, "losses"] == pytest.approx(one[0, "losses"], rel=1e-3, abs=2e-5)
    said, again = launched(tmp_path / "killed", "--workers", "2", "--restarts", "1", "--kill", "1")
    assert "UnavailableError: Worker 1" in said and "all start again (1 of 1)" in said
    for k in range(2):
        assert again[k, "losses"] == pytest.approx(two[0, "losses"][3:], rel=1e-3, abs=2e-5)
        assert again[k, "afterwards"] == pytest.approx(two[0, "afterwards"], rel=1e-3, abs=2e-5)
