"""Temporary files of programs that were killed go; those of programs that run stay."""

import os
import subprocess
import sys
import time

import pytest

from tapeflow.storage.leftovers import identity, is_abandoned, sweep, temporary

pytestmark = pytest.mark.skipif(os.name == "nt", reason="asks for processes by their number")
NOW, DAY = time.time(), 24 * 3600


def test_names_are_new_and_beside_the_path(tmp_path):
    path = str(tmp_path / "model.keras")
    first, second = temporary(path), temporary(path)
    assert first != second and os.path.dirname(first) == str(tmp_path) and "model.keras.tmp-" in first
    assert len(os.path.basename(temporary(str(tmp_path / ("é" * 200)))).encode()) < 255


def test_a_living_process_keeps_its_files_and_a_dead_one_does_not(tmp_path):
    program = "import sys; from tapeflow.storage.leftovers import temporary; print(temporary(sys.argv[1]))"
    dead = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a")], capture_output=True, text=True, check=True
    ).stdout.strip()
    mine = temporary(str(tmp_path / "a"))
    for path in (dead, mine, str(tmp_path / "a"), str(tmp_path / "notes.tmp-ideas")):
        open(path, "w", encoding="utf-8").close()
    os.mkdir(dead + "0")
    open(os.path.join(dead + "0", "part"), "w", encoding="utf-8").close()
    sweep(str(tmp_path), NOW)
    assert sorted(os.listdir(tmp_path)) == sorted(["a", os.path.basename(mine), "notes.tmp-ideas"])


def test_a_number_that_is_used_again_is_another_process(tmp_path):
    system, process, started = identity()
    assert not is_abandoned((system, process, started), str(tmp_path), NOW)
    if started:
        assert is_abandoned((system, process, started + 1), str(tmp_path), NOW)


def test_other_machines_have_a_day(tmp_path):
    path = tmp_path / "a.tmp-00000000-1-1-0"
    path.touch()
    sweep(str(tmp_path), NOW)
    assert path.exists()
    os.utime(path, (NOW - 2 * DAY, NOW - 2 * DAY))
    sweep(str(tmp_path), NOW)
    assert not path.exists()
