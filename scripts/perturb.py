"""Runs tests on machines that this one is not: `python scripts/perturb.py [--seed N] [--on MACHINE,...] [-n JOBS]
[TEST ...]`.

    rounding   sums in another order and another library of functions: results are off by a unit in the last place
               (`tests/perturbation.py`)
    Haswell, SkylakeX, Zen, Nehalem   OpenBLAS' matrix products as on that processor
    threads    OpenBLAS with four threads
    scalar     NumPy without the vector instructions that it looks for, and so with other functions

Without --on: all that this processor can be. Without tests: those of numbers, and the documentation. A test that fails
asks for more digits than the arithmetic gives (`tests/rounding.py` says how many that are), or depends on the machine
in another way.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from numpy._core import _multiarray_umath as umath

ROOT = Path(__file__).resolve().parent.parent
NUMERIC = [
    "tests/api",
    "tests/core",
    "tests/ops",
    "tests/spec",
    "tests/tape",
    "tests/transforms",
    "tests/vectorize",
    "tests/test_docs.py",
]
CORES = {"Haswell": "AVX2", "SkylakeX": "AVX512_SKX", "Zen": "AVX2", "Nehalem": "SSE42"}  # and what they need


def machines(seed: int) -> dict[str, dict[str, str]]:
    """The environment of each."""
    have = umath.__cpu_features__
    found = {"rounding": {"PYTEST_PLUGINS": "tests.perturbation", "PERTURBED": str(seed)}}
    found |= {core: {"OPENBLAS_CORETYPE": core} for core, needs in CORES.items() if have.get(needs)}
    found["threads"] = {"OPENBLAS_NUM_THREADS": "4"}
    if vector := [name for name in umath.__cpu_dispatch__ if have.get(name)]:
        found["scalar"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(vector)}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--on", metavar="MACHINE,...")
    parser.add_argument("-n", "--jobs", default="0")
    options = parser.parse_args()
    there = machines(options.seed)
    wanted = options.on.split(",") if options.on else list(there)
    if unknown := set(wanted) - {*CORES, *there}:
        parser.error(f"no such machine: {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    failed = []
    for name in wanted:
        if name not in there:
            print(f"{name}: this processor cannot be one")
            continue
        print(f"{name}: {' '.join(f'{key}={value!r}' for key, value in there[name].items())}", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-n", options.jobs, *(options.tests or NUMERIC)]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        if subprocess.run(command, cwd=ROOT, env=os.environ | there[name] | {"PYTHONPATH": path}).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all as here")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
