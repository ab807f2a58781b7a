"""Whole programs, as people write them for TensorFlow, under `tapeflow run`. Each ran unchanged on TensorFlow 2.21,
too."""

from pathlib import Path

import pytest

from tapeflow.cli import main

PROGRAMS = sorted((Path(__file__).parent / "corpus").glob("*.py"))


@pytest.mark.filterwarnings("default")  # Keras has advice for some of them
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_runs(program, interpreter, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status = main(["run", str(program)])
    shown = capsys.readouterr()
    assert status == 0, shown.err
    assert shown.out.splitlines()[-1].startswith("ok")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_check_finds_nothing_missing(program, capsys):
    assert main(["check", str(program)]) == 0, capsys.readouterr().out


def test_programs_say_tensorflow():
    assert len(PROGRAMS) >= 12
    for program in PROGRAMS:
        text = program.read_text(encoding="utf-8")
        assert "import tensorflow as tf" in text and "tapeflow" not in text
