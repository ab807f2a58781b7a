"""The commands that errors tell people to type."""

import ast
import json
import os
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from tapeflow.names import extras

ROOT = Path(__file__).resolve().parents[2]


def test_from_a_clone(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    assert extras.install("xla") == 'pip install -e ".[xla]"'
    monkeypatch.chdir(tmp_path)
    assert extras.install("xla") == f'pip install -e "{ROOT}[xla]"'


class Installed:
    """What the metadata of an installed distribution says."""

    def __init__(self, text):
        self.text = text

    def read_text(self, name):
        assert name == "direct_url.json"
        return self.text


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """A copy of the package among others, and a way to say where it came from."""
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "site-packages" / "tapeflow" / "names" / "extras.py"))

    def came_from(origin):
        text = origin if origin is None or isinstance(origin, str) else json.dumps(origin)
        monkeypatch.setattr(metadata, "distribution", lambda name: Installed(text))

    return came_from


@pytest.mark.parametrize(
    "origin",
    [
        None,  # an index
        {"url": "file:///home/ada/tapeflow-0.1.0-py3-none-any.whl", "archive_info": {}},
        {"url": "file:///home/ada/tapeflow", "dir_info": {}},
        {"url": "https://example.org/tapeflow.git", "vcs_info": {"vcs": "git", "commit_id": "0"}},
        {"url": "file:///no/such/folder", "dir_info": {"editable": True}},
        "damaged {",
    ],
    ids=["index", "wheel", "folder", "repository", "moved", "damaged"],
)
def test_from_elsewhere(installed, origin):
    installed(origin)
    assert extras.install("xla") == 'pip install "tapeflow[xla]"'


def test_not_installed_at_all(installed, monkeypatch):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", absent)
    assert extras.install("xla") == 'pip install "tapeflow[xla]"'


def test_an_editable_install_that_is_not_a_path(installed, tmp_path):
    clone = tmp_path / "a clone"
    clone.mkdir()
    installed({"url": clone.as_uri(), "dir_info": {"editable": True}})
    assert extras.install("viz") == f'pip install -e "{clone}[viz]"'


# ---- everywhere

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FILES = sorted([*(ROOT / "tapeflow").rglob("*.py"), *(ROOT / "keras_tapeflow").rglob("*.py")])
PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs").glob("*.md"),
    ROOT / "examples" / "README.md",
    ROOT / "benchmarks/GPU.md",
]


def test_messages_ask_this_module():
    """No other module writes such a command by itself. (Docstrings may: they are read on pages, too.)"""
    for file in FILES:
        if file.name == "extras.py":
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        written = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in docs]
        assert not [text for text in written if isinstance(text, str) and "tapeflow[" in text], file


def test_extras_that_are_named_exist():
    known = set(PROJECT["optional-dependencies"])
    calls = {m for f in FILES for m in re.findall(r"\binstall\([\"']([\w-]+)[\"']\)", f.read_text(encoding="utf-8"))}
    written = {
        extra
        for page in [*PAGES, *FILES]
        for names in re.findall(r"(?:tapeflow|\"\.)\[([a-z,]+)\]\"", page.read_text(encoding="utf-8"))
        for extra in names.split(",")
    }
    assert {"xla", "image"} <= calls and not (calls | written) - known


def test_all_takes_everything_that_users_install():
    found = PROJECT["optional-dependencies"]
    of_developers = {"all", "dev", "docs", "lint", "test"}
    [everything] = found["all"]
    assert set(everything.removeprefix("tapeflow[").removesuffix("]").split(",")) == set(found) - of_developers
    assert not os.path.isabs(everything)
