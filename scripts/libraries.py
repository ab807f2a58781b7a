"""Runs a library's own tests with tapeflow in the place of TensorFlow: `python scripts/libraries.py NAME FOLDER`.

FOLDER is a checkout of the library that is already there, at the commit that `LIBRARIES` names; what its tests import
has to be installed. Nothing is fetched or built. Each file of tests runs in a process of its own, under the stand-in,
and what passes is compared with what passes on TensorFlow, which `scripts/libraries/NAME.json` keeps by the names of
the tests. With `--tensorflow` that list itself is made, on the TensorFlow of the interpreter. `--write` keeps the
outcome and brings docs/support.md up to date.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "scripts" / "libraries"


@dataclass(frozen=True)
class Library:
    """Where a library's tests are, and how they are run. `files` are patterns within the checkout."""

    title: str
    repository: str
    commit: str
    files: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


LIBRARIES = {
    "sonnet": Library(
        "Sonnet", "google-deepmind/sonnet", "26b0518d4208", ("sonnet/src/**/*_test.py",), without=("conformance",)
    ),
    "pot": Library("POT", "PythonOT/POT", "aed0120242e8", ("test/**/test_*.py",), ("-k", "tf")),
    "eagerpy": Library(
        "EagerPy", "jonasrauber/eagerpy", "5b3b37a1e8c4", ("tests/test_*.py",), ("--backend", "tensorflow")
    ),
    "tf-keras-vis": Library(
        "tf-keras-vis",
        "keisen/tf-keras-vis",
        "8bb8392ae589",
        ("tests/**/*_test.py",),
        environment={"TF_KERAS_VIS_MAX_STEPS": "3"},
    ),
    "keras-hub": Library(
        "KerasHub (layers, small models)",
        "keras-team/keras-hub",
        "71453d08f59e",
        (
            "keras_hub/src/layers/**/*_test.py",
            "keras_hub/src/metrics/*_test.py",
            "keras_hub/src/samplers/*_test.py",
            "keras_hub/src/models/bert/*_test.py",
            "keras_hub/src/models/gpt2/*_test.py",
            "keras_hub/src/models/resnet/*_test.py",
        ),
        environment={"KERAS_BACKEND": "tensorflow"},
    ),
    "tfp": Library(
        "TensorFlow Probability (math, bijectors, distributions, mcmc, optimizer)",
        "tensorflow/probability",
        "c847a4160de3",
        tuple(
            f"tensorflow_probability/python/{part}/*_test.py"
            for part in ("math", "bijectors", "distributions", "mcmc", "optimizer")
        ),
        environment={"TF_USE_LEGACY_KERAS": "1"},
    ),
}


# ---- running


def tests(library: Library, folder: Path, only: str = "") -> list[Path]:
    """The files of tests, in order."""
    found = {path for pattern in library.files for path in folder.glob(pattern)}
    return sorted(
        path for path in found if only in str(path) and not any(part in str(path) for part in library.without)
    )


def run(library: Library, folder: Path, path: Path, tensorflow: bool, limit: float) -> tuple[dict[str, str], str]:
    """(outcome by test, what was printed) for one file; after `limit` seconds, what there is by then."""
    with tempfile.TemporaryDirectory() as place:
        record = Path(place) / "outcomes"
        record.touch()
        stand_in = [] if tensorflow else ["-p", "tapeflow.programs.pytest_plugin"]
        command = [
            sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-o", "addopts=", "-W",
            "ignore", "--tb=short", *stand_in, "-p", "recorder", path.relative_to(folder).as_posix(),
            *library.arguments,
        ]  # fmt: skip
        own = [str(ROOT / "scripts" / "libraries"), str(folder), *([] if tensorflow else [str(ROOT)])]
        paths = os.pathsep.join(filter(None, [*own, os.environ.get("PYTHONPATH")]))
        environment = os.environ | library.environment | {"PYTHONPATH": paths, "TESTS_RECORD": str(record)}
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=limit, errors="replace"
            )
            printed = done.stdout + done.stderr
        except subprocess.TimeoutExpired as error:
            printed = (error.stdout or b"").decode(errors="replace") + f"\nstopped after {limit:.0f} seconds"
        outcomes = {}
        for line in record.read_text(encoding="utf-8").splitlines():
            outcome, _, name = line.partition(" ")
            outcomes[name] = outcome if outcomes.get(name, "passed") == "passed" else outcomes[name]
        return outcomes, printed


# ---- what is kept


def stored(name: str) -> dict[str, Any]:
    """What is known: {"tensorflow": {file: [tests that pass there]}, "missing": {file: [those that do not here]}};
    the files that have been run here are in both."""
    path = STORED / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"tensorflow": {}, "missing": {}}


def keep(name: str, known: dict[str, Any]) -> None:
    """One line for each file of tests."""
    parts = []
    for key in ("tensorflow", "missing"):
        lines = [f"{json.dumps(file)}: {json.dumps(names)}" for file, names in sorted(known[key].items())]
        parts.append(f"{json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n}")
    (STORED / f"{name}.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def table() -> list[str]:
    """The lines of docs/support.md: how much of what passes on TensorFlow passes here."""
    lines = ["| library | passed on TensorFlow | of these here | |", "|---|---:|---:|---:|"]
    for name, library in LIBRARIES.items():
        known = stored(name)
        there = sum(len(known["tensorflow"][file]) for file in known["missing"])  # those that have been run here
        here = there - sum(map(len, known["missing"].values()))
        if there:
            link = f"[{library.title}](https://github.com/{library.repository}/tree/{library.commit})"
            lines.append(f"| {link} | {there} | {here} | {int(1000 * here / there) / 10:.1f}% |")
    return lines


def main(arguments: list[str]) -> int:
    """Runs what the command line says; the exit status says whether all that passes on TensorFlow passes here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=LIBRARIES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tensorflow", action="store_true", help="make the list of what passes on TensorFlow")
    parser.add_argument("--only", default="", metavar="TEXT", help="the files whose path has this in it")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for each file")
    parser.add_argument("--log", type=Path, metavar="FOLDER", help="where what pytest prints goes")
    parser.add_argument("--write", action="store_true", help="keep the outcome, and write it into docs/support.md")
    options = parser.parse_args(arguments)
    library, folder, known = LIBRARIES[options.name], options.folder.resolve(), stored(options.name)
    for path in tests(library, folder, options.only):
        file = path.relative_to(folder).as_posix()
        if not options.tensorflow and not known["tensorflow"].get(file):
            continue  # nothing to compare with
        outcomes, printed = run(library, folder, path, options.tensorflow, options.limit)
        passed = sorted(name for name, outcome in outcomes.items() if outcome == "passed")
        if options.log is not None:
            options.log.mkdir(parents=True, exist_ok=True)
            (options.log / (file.replace("/", ".") + ".txt")).write_text(printed, encoding="utf-8")
        if options.tensorflow:
            known["tensorflow"][file] = passed
            print(f"{file}: {len(passed)} of {len(outcomes)} passed", flush=True)
            keep(options.name, known)
            continue
        missing = sorted(set(known["tensorflow"][file]) - set(passed))
        known["missing"][file] = missing
        if options.write:
            keep(options.name, known)
        print(
            f"{file}: {len(known['tensorflow'][file]) - len(missing)} of {len(known['tensorflow'][file])}", flush=True
        )
        for name in missing:
            print(f"    {outcomes.get(name, 'not run')}: {name}")
    if options.write:
        keep(options.name, known)
        import support_table

        support_table.main([])
    return 1 if any(known["missing"].values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
