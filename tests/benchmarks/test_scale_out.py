"""The benchmark of several workers runs, with sizes that say nothing of speed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_it_prints_tables_and_a_verdict():
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0, 1]
    counts = ["1", "2"] if len(cores) > 1 else ["1"]
    small = ["--cores", "1", "--width", "32", "--batch", "64", "--steps", "2", "--rows", "1"]
    done = subprocess.run(
        [sys.executable, "benchmarks/scale_out.py", "--workers", *counts, *small], capture_output=True, text=True,
        timeout=500, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    rows = re.findall(r"(?m)^\| (\d) \|", done.stdout)
    verdicts = re.findall(r"(?m)^2 workers: .* at least 1\.7 is wanted: (passed|FAILED)$", done.stdout)
    assert rows == counts * 2 and len(verdicts) == 2 * (len(counts) - 1), done.stdout + done.stderr
    assert done.returncode == ("FAILED" in verdicts), "so small a network may be faster or slower"


def test_exchanges_and_transfers_are_counted(monkeypatch):
    from benchmarks import scale_out
    from tapeflow.engines.xla import exchanges, meshes

    for module, name in ((meshes, "joined"), (meshes, "spread"), (exchanges, "_exchanged")):
        monkeypatch.setattr(module, name, lambda *args: args)  # which `counted` wraps for good
    counts = scale_out.counted()
    meshes.joined(1, 2)
    meshes.spread(1, 2)
    exchanges._exchanged(1, 2)
    assert counts == {"sent": 2, "exchanges": 1}
