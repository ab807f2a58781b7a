"""Files are there as they were or as they are to be, and what killed programs left goes."""

import os
import pathlib
import stat
import subprocess
import sys

import pytest

from tapeflow.storage import leftovers
from tapeflow.storage.whole_files import made_whole, replacing, whole

unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks")


def faults(*arguments, timeout=600, **environment):
    """`tests/faults.py` as a program; the numbers that it prints, by format."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), **environment)
    program = "import sys, keras_tapeflow.hook; from tests.faults import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr[-3000:]
    return {name: int(number) for name, number in map(str.split, done.stdout.splitlines())}


@unix
def test_a_save_that_is_killed_or_whose_disk_fails_at_any_step_loses_nothing():
    found = faults("checkpoint", "manager", "saved_model", "dataset")
    assert found.keys() == {"checkpoint", "manager", "saved_model", "dataset"}
    assert min(found.values()) > 10, "the program does not fail where it should"


@unix
@pytest.mark.long
def test_a_save_that_is_killed_at_any_time_loses_nothing():
    faults("--kills", 60, "checkpoint", "manager", "saved_model", "dataset")


def listed(folder):
    return sorted(os.listdir(folder))


@unix
def test_only_what_nobody_writes_is_swept(tmp_path):
    """Of a process that is gone; of another system only after a day. A living process, ours too, keeps what it
    writes."""
    system, process, started = leftovers.identity()
    other = subprocess.Popen([sys.executable, "-S", "-c", ""])
    other.wait()
    gone = other.pid
    kept = [
        f"a.tmp-{system}-{process}-{started}-7",  # this process
        f"a.tmp-{system}-{os.getppid()}-{leftovers._started(os.getppid())}-0",
        f"a.tmp-{(int(system, 16) ^ 1):08x}-{gone}-5-0",  # another system
        "a.tmp-1-2-3",  # of an earlier version, and new
        "a.tmp-somebody's",
        "a.tmp",
    ]
    swept = [
        f"a.tmp-{system}-{gone}-5-0",
        f"b.tmp-{system}-{process}-{started + 1}-0",
        "a.tmp-00000000-1-1-1",
        "a.tmp-4-5-6",
    ]
    for name in kept + swept:
        (tmp_path / name).write_text("")
    (tmp_path / f"room.tmp-{system}-{gone}-5-1").mkdir()
    (tmp_path / f"room.tmp-{system}-{gone}-5-1" / "file").write_text("")
    for name in swept[-2:]:
        os.utime(tmp_path / name, (0, 0))
    with replacing(str(tmp_path / "new")) as file:
        file.write(b"")
    assert listed(tmp_path) == sorted([*kept, "new"])


def test_several_files_take_their_places_together(tmp_path, monkeypatch):
    index = str(tmp_path / "index")

    def save(text):
        with made_whole(index) as made:
            pathlib.Path(made).write_text(text, encoding="utf-8")
            pathlib.Path(made).with_name("part").write_text(text)

    save("old")
    with monkeypatch.context() as patched:
        patched.setattr("tapeflow.storage.whole_files._take_place", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            save("new")
    assert (tmp_path / "index").read_text() == "old"  # stopped when both were on the disk: the new ones count
    assert {pathlib.Path(whole(index)).with_name(name).read_text() for name in ("index", "part")} == {"new"}
    save("newer")
    assert whole(index) == index and listed(tmp_path) == ["index", "part"]


@pytest.mark.skipif(os.name == "nt", reason="who makes links needs a privilege, and permissions are others")
def test_links_and_permissions_stay(tmp_path):
    (tmp_path / "there").mkdir()
    file, link = tmp_path / "there" / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    with replacing(str(link)) as new:
        new.write(b"new")
    with made_whole(str(link)) as made:
        pathlib.Path(made).write_text("newer", encoding="utf-8")
    assert link.is_symlink() and file.read_text() == "newer"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert listed(tmp_path) == ["link", "there"] and listed(tmp_path / "there") == ["file"]


def test_names_as_long_as_a_file_system_allows(tmp_path):
    path = tmp_path / ("é" * 120)
    with replacing(str(path)) as file:
        file.write(b"x")
    assert listed(tmp_path) == [path.name]
