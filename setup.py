"""Besides what pyproject.toml says: a `.pth` file in the wheel, by which `KERAS_BACKEND=tapeflow` works with `import
keras` alone; and the C library, where there is a compiler."""

import os
import runpy
import sysconfig
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HOOK = "tapeflow_keras.pth"
NATIVE = Path("tapeflow", "engines", "native")
BUILDING = runpy.run_path(str(NATIVE / "building.py"))


class WithMore(build_py):
    """Puts the hook beside the packages. (In an editable install `import tapeflow` comes first instead.) Builds the
    library in its package, or in the sources for an editable install."""

    def run(self) -> None:
        super().run()
        self.libraries = []
        if not getattr(self, "editable_mode", False):
            self.copy_file(HOOK, os.path.join(self.build_lib, HOOK), preserve_mode=False)
        folder = (Path() if getattr(self, "editable_mode", False) else Path(self.build_lib)) / NATIVE / "libraries"
        try:
            self.libraries = BUILDING["build"](folder.absolute())
        except OSError as error:
            self.warn(f"The C library was not built, NumPy computes everything: {error}")

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [
            *super().get_outputs(include_bytecode),
            os.path.join(self.build_lib, HOOK),
            *map(str, getattr(self, "libraries", [])),
        ]


class ForItsPlatform(bdist_wheel):
    """A wheel with the library in it is for one kind of machine, and for any Python."""

    def get_tag(self) -> tuple[str, str, str]:
        if not getattr(self.get_finalized_command("build_py"), "libraries", []):
            return "py3", "none", "any"
        platform = self.plat_name or sysconfig.get_platform()
        return "py3", "none", platform.replace("-", "_").replace(".", "_")


class Compiled(Distribution):
    def has_ext_modules(self) -> bool:
        """What is compiled lies where tools look that make wheels fit other distributions of Linux."""
        return os.environ.get("TAPEFLOW_NATIVE") != "0" and BUILDING["compiler"]() is not None


setup(cmdclass={"build_py": WithMore, "bdist_wheel": ForItsPlatform}, distclass=Compiled)
