"""Refuses to be installed over a TensorFlow that is there: its files would be overwritten."""

import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


def other() -> Path | None:
    """The TensorFlow of this interpreter, unless it is ours."""
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        file = Path(place) / "tensorflow" / "__init__.py"
        if file.exists() and "tapeflow" not in file.read_text(encoding="utf-8", errors="replace"):
            return file
    return None


class Careful(build_py):
    """Asks first."""

    def run(self) -> None:
        found = other()
        if found is not None:
            raise SystemExit(
                f"TensorFlow is installed here, in {found.parent}, and tapeflow does not replace it. Take another "
                "virtual environment, or `pip uninstall tensorflow tensorflow-cpu` first."
            )
        super().run()


setup(cmdclass={"build_py": Careful})
