"""The wheel, as it is built and installed: `KERAS_BACKEND=tapeflow` is all that `import keras` needs."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PARTS = [
    "tapeflow",
    "keras_tapeflow",
    "tapeflow_keras.pth",
    "MANIFEST.in",
    "pyproject.toml",
    "setup.py",
    "README.md",
    "LICENSE",
]
HOOK = "tapeflow_keras.pth"


def setuptools_version():
    try:
        return int(importlib.metadata.version("setuptools").split(".")[0])
    except importlib.metadata.PackageNotFoundError:
        return 0


pytestmark = pytest.mark.skipif(setuptools_version() < 77, reason="the wheel is built with setuptools 77 or later")


def run(*command, cwd, **environment):
    env = {k: v for k, v in os.environ.items() if k not in ("KERAS_BACKEND", "PYTHONPATH")} | environment
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copied(folder):
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)


def built(kind, folder, **environment):
    """What setuptools makes of a folder, as pip and `python -m build` ask it to: wheel, sdist or editable."""
    build = f"from setuptools import build_meta; print('built', build_meta.build_{kind}('out'))"
    path = os.environ.get("PYTHONPATH", "")
    said = run(sys.executable, "-W", "ignore", "-c", build, cwd=folder, PYTHONPATH=path, **environment)
    return folder / "out" / said.rpartition("built ")[2].strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    copied(folder)
    return built("wheel", folder)


@pytest.mark.long
def test_the_source_distribution_gives_the_same_wheel(wheel, tmp_path):
    (tmp_path / "source").mkdir()
    copied(tmp_path / "source")
    with tarfile.open(built("sdist", tmp_path / "source")) as source:
        source.extractall(tmp_path, filter="data")
    again = built("wheel", tmp_path / wheel.name.partition("-py3-")[0])
    assert again.name == wheel.name
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_has_the_hook_beside_the_packages(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {
        "tapeflow",
        "keras_tapeflow",
        HOOK,
    }
    assert zipfile.ZipFile(wheel).read(HOOK) == (ROOT / HOOK).read_bytes()


PROGRAM = """
import keras, numpy as np
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0)
import tapeflow
print(keras.config.backend(), tapeflow.__file__)
"""


def test_the_environment_is_enough(wheel, tmp_path):
    venv.create(tmp_path / "venv", symlinks=os.name != "nt")
    scripts, site = (
        Path(sysconfig.get_path(p, "venv", {"base": str(tmp_path / "venv")})) for p in ("scripts", "purelib")
    )
    zipfile.ZipFile(wheel).extractall(site)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    out = run(str(scripts / "python"), "-W", "ignore", "-c", PROGRAM, cwd=tmp_path, KERAS_BACKEND="tapeflow")
    assert out.split() == ["tapeflow", str(site / "tapeflow" / "__init__.py")]


def test_an_editable_install_is_a_path(tmp_path):
    """Type checkers follow a path; the import hook that setuptools makes of other layouts they do not. There is no
    compiler any more, but a library of an earlier install, which goes."""
    copied(tmp_path)
    libraries = tmp_path / "tapeflow" / "engines" / "native" / "libraries"
    libraries.mkdir(exist_ok=True)
    (libraries / "kernels1.so").touch()
    with zipfile.ZipFile(built("editable", tmp_path, CC="false")) as made:
        assert not libraries.exists()
        outside = [name for name in made.namelist() if "dist-info" not in name]
        assert len(outside) == 1 and outside[0].endswith(".pth")
        assert Path(made.read(outside[0]).decode().strip()).resolve() == tmp_path.resolve()
