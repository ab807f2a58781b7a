"""Builds the library with the C compiler that is at hand: by itself (`python building.py`), or when the package is
built.

It builds several versions, for older and newer processors; which one runs is decided where it runs. (One that the
compiler does not know is left out.) It imports nothing of the package, which is not there yet.
"""

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "source"

# NaN must stay what it is, so no -ffast-math: only what vector code needs.
_FLAGS = ["-std=gnu11", "-O3", "-shared", "-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math"]
_FLAGS += ["-fopenmp-simd", *(["-static-libgcc"] if sys.platform == "win32" else ["-fPIC", "-pthread"])]


def digest() -> str:
    """Of the sources: a library that was built from others is not used."""
    text = b"".join(path.read_bytes().replace(b"\r\n", b"\n") for path in sorted(SOURCE.iterdir()))
    return hashlib.sha256(text).hexdigest()[:16]


def file_name(level: int) -> str:
    ending = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
    return f"kernels{level}.{ending}"


def levels() -> dict[int, list[str]]:
    """By level, what tells the compiler to use what those processors can do."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return {1: []}
    return {1: ["-march=x86-64"], 3: ["-march=x86-64-v3"], 4: ["-march=x86-64-v4"]}


def compiler() -> list[str] | None:
    """The command of the C compiler: that of the environment, or the one Python was built with, or `cc`."""
    for command in (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"):
        words = shlex.split(command or "")
        if words and shutil.which(words[0]):
            return words[:1]
    return None


def build(folder: Path = HERE / "libraries") -> list[Path]:
    """The files that were built in a folder; none where that is not possible, or not wanted."""
    command = compiler()
    shutil.rmtree(folder, ignore_errors=True)
    if os.environ.get("TAPEFLOW_NATIVE") == "0" or command is None:
        return []
    made = []
    folder.mkdir(parents=True, exist_ok=True)
    for level, flags in levels().items():
        path = folder / file_name(level)
        new = path.with_name(f"new-{path.name}")  # put in place when it is complete: somebody may be loading the other
        words = [
            *command,
            *_FLAGS,
            *flags,
            f'-DSOURCE="{digest()}"',
            "-o",
            str(new),
            str(SOURCE / "kernels.c"),
            "-lm",
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            made.append(new.replace(path))
        elif level == 1:
            print(f"tapeflow: its C library was not built, NumPy computes everything:\n{done.stderr}", file=sys.stderr)
            break
    if not made:
        shutil.rmtree(folder)
    return made


if __name__ == "__main__":
    print(*build(), sep="\n")
