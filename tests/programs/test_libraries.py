"""`scripts/libraries.py`: a library's own tests, compared with what passes on TensorFlow."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import tensorflow as tf

def test_sum():
    assert tf.add(1, 2).numpy() == 3

def test_only_there():
    assert "tapeflow" not in tf.__file__

class TestMore:
    def test_type(self):
        assert type(tf.constant(1.0)).__module__.startswith("tensorflow.")
"""


@pytest.fixture
def libraries(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    spec = importlib.util.spec_from_file_location("libraries_script", ROOT / "scripts" / "libraries.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    (tmp_path / "stored").mkdir()
    monkeypatch.setattr(module, "STORED", tmp_path / "stored")
    monkeypatch.setattr(
        module, "LIBRARIES", {"small": module.Library("Small", "some/one", "abc", ("checks/*_test.py",))}
    )
    return module


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    (folder / "checks").mkdir(parents=True)
    (folder / "checks" / "sums_test.py").write_text(TESTS)
    return folder


def test_what_passes_is_compared(libraries, checkout, capsys, tmp_path):
    there = {"checks/sums_test.py": ["TestMore::test_type", "test_only_there", "test_sum"]}
    libraries.keep("small", {"tensorflow": there, "missing": {}})
    assert libraries.main(["small", str(checkout), "--log", str(tmp_path / "log")]) == 1
    said = capsys.readouterr().out
    assert "checks/sums_test.py: 2 of 3" in said and "failed: test_only_there" in said
    assert "1 failed, 2 passed" in (tmp_path / "log" / "checks.sums_test.py.txt").read_text()
    there["checks/sums_test.py"].remove("test_only_there")
    libraries.keep("small", {"tensorflow": there, "missing": {}})
    assert libraries.main(["small", str(checkout)]) == 0


def test_the_table(libraries):
    there = {"a_test.py": ["one", "two"], "b_test.py": ["three"]}
    libraries.keep("small", {"tensorflow": there, "missing": {"a_test.py": [], "b_test.py": ["three"]}})
    assert libraries.table()[2:] == ["| [Small](https://github.com/some/one/tree/abc) | 3 | 2 | 66.6% |"]


def test_what_is_stored_is_complete():
    """What does not pass here is among what passes there."""
    for path in (ROOT / "scripts" / "libraries").glob("*.json"):
        known = json.loads(path.read_text(encoding="utf-8"))
        for file, names in known["missing"].items():
            assert set(names) <= set(known["tensorflow"][file]), (path, file)
