"""Building the library: with a compiler, without one, with one that fails."""

import ctypes

import pytest

from tapeflow.engines.native import building


def test_with_a_compiler(monkeypatch, tmp_path):
    monkeypatch.delenv("TAPEFLOW_NATIVE", raising=False)
    if building.compiler() is None:
        pytest.skip("there is no C compiler")
    made = building.build(tmp_path / "libraries")
    assert made and made[0].name == building.file_name(1)
    source = ctypes.CDLL(str(made[0])).tapeflow_source
    source.restype = ctypes.c_char_p
    assert source().decode() == building.digest()


@pytest.mark.parametrize("environment", [{"CC": "false"}, {"TAPEFLOW_NATIVE": "0"}])
def test_without_one(monkeypatch, tmp_path, environment):
    """The folder of an earlier build goes, too."""
    monkeypatch.delenv("TAPEFLOW_NATIVE", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "libraries").mkdir()
    assert building.build(tmp_path / "libraries") == []
    assert not (tmp_path / "libraries").exists()


def test_no_compiler_is_found(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(building.shutil, "which", lambda name: None)
    assert building.compiler() is None


def test_older_processors_are_thought_of():
    """The first level needs nothing that a processor may lack."""
    assert next(iter(building.levels())) == 1
    assert building.levels()[1] in ([], ["-march=x86-64"])
