"""Besides what pyproject.toml says: a `.pth` file in the wheel, by which `KERAS_BACKEND=tapeflow` works with `import
keras` alone."""

import os

from setuptools import setup
from setuptools.command.build_py import build_py

HOOK = "tapeflow_keras.pth"


class WithHook(build_py):
    """Puts the file beside the packages. (In an editable install `import tapeflow` comes first instead.)"""

    def run(self) -> None:
        super().run()
        if not getattr(self, "editable_mode", False):
            self.copy_file(HOOK, os.path.join(self.build_lib, HOOK), preserve_mode=False)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), os.path.join(self.build_lib, HOOK)]


setup(cmdclass={"build_py": WithHook})
