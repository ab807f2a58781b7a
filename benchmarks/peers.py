"""Who takes part, and the virtual environment that each of them runs in."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent / ".bench"


class Peer(NamedTuple):
    framework: str
    variant: str

    @property
    def name(self) -> str:
        return f"{self.framework} {self.variant}"


SELF, CONTROL = Peer("tapeflow", "eager"), Peer("numpy", "by hand")
PEERS = [
    SELF,
    CONTROL,
    Peer("tapeflow", "function"),
    Peer("tapeflow", "xla"),
    Peer("tapeflow", "loop"),  # only where a workload has a vectorised form
    Peer("torch", "eager"),
    Peer("tensorflow", "eager"),
    Peer("tensorflow", "function"),
    Peer("jax", "jit"),
    Peer("jax", "eager"),
    Peer("autograd", "eager"),
]
COMPILED = [Peer("tapeflow", "function"), Peer("tapeflow", "xla"), Peer("tensorflow", "function"), Peer("jax", "jit")]
IN_MEMORY_TABLE = [
    SELF,
    Peer("torch", "eager"),
    Peer("tensorflow", "eager"),
    Peer("jax", "jit"),
    Peer("autograd", "eager"),
]

# What pip installs for each; tapeflow and the control run in the environment that runs this program.
REQUIREMENTS = {"torch": "torch==2.13.0", "tensorflow": "tensorflow-cpu", "jax": "jax", "autograd": "autograd"}
KERAS = "keras>=3.15,<3.17"
EXTRA = {"autograd": ["scipy"], "torch": [KERAS], "tensorflow": [KERAS], "jax": [KERAS]}


def python_of(framework: str) -> str | None:
    """The interpreter to run a framework with; installs it under .bench/ if need be. None when it cannot be installed.

    BENCH_ENV_<framework>=/path/to/python uses an environment that exists already.
    """
    if framework not in REQUIREMENTS:
        return sys.executable
    given = os.environ.get(f"BENCH_ENV_{framework}")
    if given:
        return given
    folder = ENVIRONMENTS / framework
    python, ready = folder / "bin" / "python", folder / ".ready"
    if not ready.exists():
        print(f"Installing {REQUIREMENTS[framework]} into {folder.relative_to(HERE.parent)} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            REQUIREMENTS[framework],
        ]
        done = subprocess.run([*install, "numpy", *EXTRA.get(framework, [])], capture_output=True, text=True)
        if done.returncode:
            print(f"  not available: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]}")
            return None
        ready.touch()
    return str(python)


def distribution_of(framework: str) -> str:
    return REQUIREMENTS.get(framework, framework).split("=")[0]
