"""The benchmark of several workers runs, with sizes that say nothing of speed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
@pytest.mark.parametrize("by", ["distribution", "strategy"])
def test_it_prints_a_table(by):
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0, 1]
    counts = ["1", "2"] if len(cores) > 1 else ["1"]
    small = ["--cores", "1", "--width", "32", "--batch", "64", "--steps", "2", "--rows", "1", "--by", by]
    done = subprocess.run(
        [sys.executable, "benchmarks/scale_out.py", "--workers", *counts, *small], capture_output=True, text=True,
        timeout=300, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert [line.split("|")[1].strip() for line in lines[2:]] == counts and lines[0].startswith("| workers |")
