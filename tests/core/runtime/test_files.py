"""Names of files that are open: on Windows with patience, elsewhere at once."""

import os

import pytest

from tapeflow.core.runtime import files


class Busy:
    """A change of names that another program refuses a few times."""

    def __init__(self, times):
        self.times, self.calls = times, 0

    def __call__(self, *names):
        self.calls += 1
        if self.calls <= self.times:
            raise PermissionError(13, "in use", *names)
        return names


@pytest.fixture
def slept(monkeypatch):
    """How long it would have slept."""
    waits = []
    monkeypatch.setattr(files.time, "sleep", waits.append)
    return waits


def test_windows_is_asked_again(monkeypatch, slept):
    monkeypatch.setattr(files, "WINDOWS", True)
    assert files.patiently(Busy(3), "a", "b") == ("a", "b")
    assert len(slept) == 3


def test_not_for_ever(monkeypatch, slept):
    monkeypatch.setattr(files, "WINDOWS", True)
    with pytest.raises(PermissionError):
        files.patiently(Busy(99), "a")
    assert 1 < sum(slept) < 5


def test_elsewhere_an_error_is_an_error(monkeypatch, slept):
    monkeypatch.setattr(files, "WINDOWS", False)
    with pytest.raises(PermissionError):
        files.patiently(Busy(1), "a")
    assert not slept


def test_replace(tmp_path):
    (tmp_path / "a").write_bytes(b"new")
    (tmp_path / "b").write_bytes(b"old")
    files.replace(str(tmp_path / "a"), str(tmp_path / "b"))
    assert os.listdir(tmp_path) == ["b"] and (tmp_path / "b").read_bytes() == b"new"


@pytest.mark.parametrize("windows", [False, True])
def test_bytes_are_held(tmp_path, monkeypatch, windows):
    monkeypatch.setattr(files, "WINDOWS", windows)
    path = tmp_path / "file"
    path.write_bytes(b"kept")
    with open(path, "rb") as file:
        bytes_of_it = files.held(file)
    if windows or os.name != "nt":  # what is mapped there cannot be deleted
        path.unlink()
    assert bytes(bytes_of_it[1:3]) == b"ep"
    path.write_bytes(b"")
    with open(path, "rb") as file, pytest.raises(ValueError, match="empty"):
        files.held(file)
