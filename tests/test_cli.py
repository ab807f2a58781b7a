"""The `tapeflow` command itself: help, version, wrong usage. What its parts do is tested with them."""

import subprocess
import sys
from pathlib import Path

import pytest

import tapeflow
from tapeflow import cli

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], ["run", "check", "demo", "unchanged"]),
        (["run", "--help"], ["import tensorflow as tf", "-m module", "notebook.ipynb", "130"]),
        (["check", "-h"], ["--json", "--all", "exit status is 0 when all are there"]),
        (["demo", "-h"], ["--steps"]),
        (["launch", "--help"], ["--workers N", "--restarts", "124 after --timeout"]),
    ],
)
def test_help(arguments, words, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    shown = " ".join(capsys.readouterr().out.split())
    assert end.value.code == 0
    assert all(word in shown for word in words)


def test_version_is_the_packages_own(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert shown == f"tapeflow {tapeflow.__version__}\n" and "2.21.0" not in shown


@pytest.mark.parametrize("arguments", [[], ["fly"], ["check"], ["check", "--fast", "x.py"]])
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert "usage: tapeflow" in capsys.readouterr().err


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "tapeflow", "run", "-c", "import tensorflow as tf; print(tf.__version__)"],
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "2.21.0\n"), done.stderr
