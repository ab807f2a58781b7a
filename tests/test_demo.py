"""The demo, the command line, the examples and the benchmark run, whatever standard output is."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow import demo
from tapeflow.cli import main

ROOT = Path(__file__).resolve().parent.parent


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def terminal(encoding):
    return Terminal(io.BytesIO(), encoding=encoding, write_through=True)


def text_of(stream):
    return stream.buffer.getvalue().decode(stream.encoding)


def test_demo_learns_and_draws(tmp_path, capsys):
    picture = tmp_path / "demo.png"
    assert main(["demo", "--steps", "300", "--out", str(picture)]) == 0
    out = capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "What to try next" in out
    assert "300/300" in out
    assert "\x1b" not in out  # not a terminal: no colours, no cursor movement
    correct = float(out.split("% of the points")[0].split()[-1])
    assert correct > 85


def test_demo_redraws_on_a_terminal(tmp_path, monkeypatch):
    screen = terminal("utf-8")
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    main(["demo", "--steps", "3", "--out", str(tmp_path / "demo.png")])
    text = text_of(screen)
    assert "\x1b[" in text
    assert "█" in text


def test_demo_needs_no_unicode(tmp_path, monkeypatch):
    screen = terminal("ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    main(["demo", "--steps", "3", "--out", str(tmp_path / "demo.png")])
    assert "###" in text_of(screen)


def test_demo_survives_a_loss_that_is_no_number(tmp_path, capsys):
    wild = ["--activation", "relu", "--learning-rate", "1e30", "--clip", "1e30"]
    assert main(["demo", "--steps", "30", *wild, "--out", str(tmp_path / "demo.png")]) == 0
    assert "smaller --learning-rate" in capsys.readouterr().out


def test_resampling_keeps_the_mean():
    assert demo._resample(demo.np.arange(100.0), 4).tolist() == [12.0, 37.0, 62.0, 87.0]
    assert len(demo._resample(demo.np.arange(3.0), 10)) == 10


def test_version_and_bad_commands(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.startswith("tapeflow ")
    with pytest.raises(SystemExit, match="2"):
        main(["no-such-command"])


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_example_runs(example):
    length = next(option for option in ("--steps", "--epochs", "--updates") if option in example.read_text(encoding="utf-8"))
    command = [sys.executable, "-W", "error", str(example), length, "3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_benchmark_runs(tmp_path):
    """A smoke run on tapeflow and the control; no time is asserted, but both must compute the same losses."""
    command = [sys.executable, "-m", "benchmarks", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    for workload, found in results["timings"].items():
        assert found["tapeflow eager"]["times"], f"{workload}: {found['tapeflow eager']}"
        assert results["disagree"][workload] == []
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")
