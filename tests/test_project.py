"""The files around the package (metadata, workflows, citation) agree with it and with each other."""

import re
import tomllib
from pathlib import Path

import pytest

import tapeflow

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def pythons():
    """The versions of Python that the distribution asks for: `3.11`, …."""
    low, high = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"]).groups()
    return [f"3.{minor}" for minor in range(int(low), int(high))]


def test_versions_of_python():
    listed = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    tested = re.search(r"python: \[(.*)\]", text(".github/workflows/tests.yml"))[1]
    assert listed == pythons() == re.findall(r"[\d.]+", tested)
    said = f"Python {pythons()[0]} to {pythons()[-1]}"
    for page in ("README.md", "docs/platforms.md", "docs/getting-started.md"):
        assert said in text(page), page
    assert f"({pythons()[0]} to {pythons()[-1]})" in text("Makefile")


def test_systems():
    systems = {"macos": "MacOS", "ubuntu": "POSIX :: Linux", "windows": "Microsoft :: Windows"}
    tested = re.search(r"os: \[(.*)\]", text(".github/workflows/tests.yml"))[1]
    assert [name.partition("-")[0] for name in tested.split(", ")] == ["ubuntu", "macos", "windows"]
    assert {f"Operating System :: {name}" for name in systems.values()} <= set(PROJECT["classifiers"])


def test_the_citation_is_of_this_version():
    said = dict(re.findall(r"^(\w[\w-]*): (\S.*)$", text("CITATION.cff"), re.M))
    assert said["version"] == tapeflow.__version__ and said["license"] == PROJECT["license"]


def test_the_version_is_said_once():
    assert PROJECT["dynamic"] == ["version"] and "version" not in PROJECT
    assert re.fullmatch(r"\d+\.\d+\.\d+", tapeflow.__version__)
    assert f"## {tapeflow.__version__}" in text("CHANGELOG.md")


def test_one_version_of_ruff():
    [wanted] = [r for r in PROJECT["optional-dependencies"]["lint"] if r.startswith("ruff")]
    assert f"rev: v{wanted.removeprefix('ruff~=')}\n" in text(".pre-commit-config.yaml")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_workflows(path):
    """A job names only targets of the Makefile and files that exist, and no job has more rights than it needs."""
    written = path.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", text("Makefile"), re.M))
    assert set(re.findall(r"run: make ([\w-]+)", written)) <= targets
    assert "\npermissions:\n  contents: read\n" in written
    for used in re.findall(r"uses: \./(\S+)", written):
        assert (ROOT / used).is_file()
    for copied in re.findall(r"source/([\w./]+)", written):
        assert (ROOT / copied).exists(), copied


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, ROOT / ".pre-commit-config.yaml", ROOT / "CITATION.cff"], ids=lambda p: p.name
)
def test_it_is_yaml(path):
    yaml = pytest.importorskip("yaml")  # which mkdocs brings
    assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict)


def test_the_source_distribution_has_every_folder():
    """MANIFEST.in names what is beside the packages."""
    said = text("MANIFEST.in")
    named = {*re.findall(r"^graft (\S+)", said, re.M), *re.findall(r"(\.\w+)/\w+", said)}
    folders = {"as_tensorflow", "benchmarks", "docs", "examples", "fuzz", "scripts", "tests", ".ci", ".github"}
    assert folders == named and all((ROOT / folder).is_dir() for folder in folders)
    here = {p.parent.name for p in ROOT.glob("*/*.py")} - {"tapeflow", "keras_tapeflow", "build", "dist"}
    assert here <= folders
