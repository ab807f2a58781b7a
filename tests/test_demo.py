"""The demo, the examples and the benchmark run, whatever standard output is, and what the demo says is so."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tapeflow.cli import main
from tapeflow.demo import screen, tour
from tapeflow.names.extras import install

ROOT = Path(__file__).resolve().parent.parent
QUICK = ["demo", "--quick", "--steps", "3"]


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def terminal(encoding):
    return Terminal(io.BytesIO(), encoding=encoding, write_through=True)


def text_of(stream):
    return stream.buffer.getvalue().decode(stream.encoding)


# ---- the whole of it


def test_demo_learns_draws_and_tells(tmp_path, capsys):
    picture = tmp_path / "demo.png"
    assert main(["demo", "--steps", "300", "--out", str(picture)]) == 0
    out = capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "What to try next" in out
    assert "300/300" in out
    assert "\x1b" not in out  # not a terminal: no colours, no cursor movement
    correct = float(out.split("% of the points")[0].split()[-1])
    assert correct > 85
    assert re.search(r"^layer2/weights +\d\.\d\de", out, re.M)  # the monitor's table
    titles = re.findall(r"^── (\d) of (\d): ", out, re.M)
    assert titles == [(str(k + 1), str(len(titles))) for k in range(len(tour.CHAPTERS) + 1)]
    assert re.search(r"sequential\w*/conv2d", out) and "not installed" not in out
    assert f"Open it: {tmp_path / 'demo.html'}" in out
    assert (tmp_path / "demo.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_demo_redraws_on_a_terminal(tmp_path, monkeypatch):
    screen = terminal("utf-8")
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    main([*QUICK, "--out", str(tmp_path / "demo.png")])
    text = text_of(screen)
    assert "\x1b[" in text
    assert "█" in text


def test_demo_needs_no_unicode(tmp_path, monkeypatch):
    screen = terminal("ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    name = (
        "démo.png" if sys.getfilesystemencoding() == "utf-8" else "demo.png"
    )  # the folder of a user may have any name
    assert main([*QUICK, "--out", str(tmp_path / name)]) == 0
    assert "###" in text_of(screen)


def test_demo_says_what_to_install(tmp_path, monkeypatch, capsys):
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.backends.backend_agg", "fast_sugiyama"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main([*QUICK, "--out", str(tmp_path / "demo.png")]) == 0
    out = capsys.readouterr().out
    assert f"No picture: it needs matplotlib ({install('viz')})." in out
    assert re.search(r"a_page.py prints:\n\nNothing, for something is not installed: .*pip install", out)
    assert not list(tmp_path.iterdir())


def test_quick_is_quick(tmp_path, capsys):
    main(["demo", "--quick", "--out", str(tmp_path / "demo.png")])
    out = capsys.readouterr().out
    assert "300/300" in out and "keras" not in out


def test_demo_survives_a_loss_that_is_no_number(tmp_path, capsys):
    wild = ["--activation", "relu", "--learning-rate", "1e30", "--clip", "1e30"]
    assert main(["demo", "--quick", "--steps", "30", *wild, "--out", str(tmp_path / "demo.png")]) == 0
    assert "smaller --learning-rate" in capsys.readouterr().out


def test_resampling_keeps_the_mean():
    assert screen._resample(np.arange(100.0), 4).tolist() == [12.0, 37.0, 62.0, 87.0]
    assert len(screen._resample(np.arange(3.0), 10)) == 10


# ---- the chapters


def printed(file, capsys):
    """What a chapter prints, and the lines of its program that it names, in order."""
    [chapter] = [c for c in tour.CHAPTERS if c.file == file]
    chapter.run()
    out = capsys.readouterr().out
    lines = chapter.program.splitlines()
    return out, [lines[int(n) - 1].strip() for n in re.findall(rf"{re.escape(file)}:(\d+)", out)]


def test_three_causes_with_their_lines(capsys):
    out, lines = printed("why_none.py", capsys)
    assert out.startswith("[None, None, None]\n")
    assert [name for name in ("w", "scale", "bias") if f"\n{name}: None.\n" in out] == ["w", "scale", "bias"]
    assert lines[0] == "rounded = tf.round(w)" and "float(scale)" in lines[1] and lines[-1] == "shift = bias * 2.0"


def test_where_nan_came_from(capsys):
    out, lines = printed("where_nan.py", capsys)
    assert out.startswith("[nan nan]\nDetected Infinity or NaN in op") and "inside a tf.function" in out
    assert "distance = tf.sqrt(tf.reduce_sum(apart * apart))" in lines


def test_what_is_wrong_with_a_training(capsys):
    out, _ = printed("while_it_trains.py", capsys)
    rows = {line.split()[0]: line for line in out.splitlines() if line}
    assert rows["deep0"].endswith("vanishing") and rows["deep7"].endswith("dead") and rows["last"][-1] in "▁▂▃▄▅▆▇█"
    assert re.search(r"^step 1, deep0: its gradient vanishes: .*\.$", out, re.M)


def test_a_wrong_gradient_is_found_and_a_right_one_passes(capsys):
    out, _ = printed("own_gradient.py", capsys)
    assert out.startswith("The gradient of softplus is wrong in 3 of 6 entries:")
    assert out.splitlines()[-1].startswith("<gradients agree: 6 entries, order 1 and 2")


def test_programs_fit_a_terminal():
    for chapter in tour.CHAPTERS:
        assert max(map(len, chapter.listing().splitlines())) <= 100, chapter.file


# ---- examples and benchmarks


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONG = [
    pytest.param(path, marks=pytest.mark.long) for path in EXAMPLES[1:]
]  # their functions are tested in tests/examples


@pytest.mark.parametrize("example", [EXAMPLES[0], *LONG], ids=lambda p: p.name)
def test_example_runs(example):
    length = next(
        option for option in ("--steps", "--epochs", "--updates") if option in example.read_text(encoding="utf-8")
    )
    command = [sys.executable, "-W", "error", str(example), length, "3"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.long
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
