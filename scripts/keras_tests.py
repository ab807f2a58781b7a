"""Runs Keras' own tests, from the installed wheel, on a backend: `python scripts/keras_tests.py [--full | --short |
--long] [-n JOBS] [PART ...]`.

Prints passed, failed and skipped for each part, and each failure. PARTs are modules such as keras.src.layers; without
any, the core set (`--full`: all of it; `--short`: without what takes long, which is what `make test` runs; `--long`:
all but that). The exit status says whether the failures are just those that are known, which `KNOWN` lists with a
reason each.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["keras.src.layers"]
REST = [
    "keras.src." + name
    for name in (
        "activations", "backend.common", "callbacks", "constraints", "distribution", "dtype_policies", "initializers",
        "losses", "metrics", "models", "ops", "optimizers", "random", "regularizers", "saving", "trainers", "tree",
    )
]  # fmt: skip
MORE = ["keras.src." + name for name in ("quantizers", "utils", "legacy", "distillation", "testing")]

# Half of the core set's time for a tenth of its tests: dtypes of every pair of operands, integer weights, sounds,
# large models.
LONG = (
    "VariableOpsDTypeTest or quantize or test_int4 or test_int8 or TestSpectrogram or efficientnet or flow_jax_sparse"
)
DTYPES = "NumpyDtypeTest"
SHORT = f"not ({DTYPES} or {LONG})"

# Tests that fail on every backend with a name that Keras does not know, or for want of something outside.
KNOWN = {
    "AudioDatasetFromDirectoryTest.test_static_shape_in_graph": "wants an unknown size inside a function, where ours "
    "is known",
    "ImageDatasetFromDirectoryTest.test_static_shape_in_graph": "wants an unknown size inside a function, where ours "
    "is known",
    "ModelTest.test_export_error": "wants export to be refused by backends that Keras does not know; ours exports",
    "SavingTest.test_save_model_exception_raised_high_memory_config": "wants half a file after an error; ours leaves "
    "the old one or none",
    "SavingTest.test_save_model_exception_raised_low_memory_config": "wants half a file after an error; ours leaves "
    "the old one or none",
    "SavingBattleTest.test_legacy_load_skips_missing_nested_containers": "wants a file that the wheel does not have",
}


# Tests that say nothing of a backend, and count neither way: they ask for more digits than the arithmetic gives, or
# fail on every backend where Python is new enough for the latest NumPy and h5py.
NOT_OURS = {
    "NumpyTwoInputOpsCorrectnessTest.test_cross": "its reference is np.cross of vectors in the plane, which NumPy "
    "2.5 does not take",
    "SavingTest.test_basics": "KerasFileEditor on h5py for Python 3.13: a bad object header, with JAX as well",
    "SavingTest.test_scalar_weight": "KerasFileEditor on h5py for Python 3.13: a bad object header, with JAX as well",
    "SwapEMAWeightsTest.test_swap_ema_weights_on_epoch": "a loss in training and one of an evaluation, float32, to "
    "seven digits",
    "TestSpectrogram.test_spectrogram_channels_broadcasting": "sums of 256 terms in float32, channel by channel and "
    "together, to 1e-6",
    "TestSpectrogram.test_spectrogram_channels_first": "sums of 256 terms in float32, channel by channel and "
    "together, to 1e-6",
}


def run(
    parts: list[str], backend: str = "tapeflow", which: str = "", jobs: str = "0"
) -> dict[str, list[tuple[str, str]]]:
    """(name, outcome) of each test, by part, of those that pytest's `-k` picks; an outcome is passed, skipped, or the
    first line of what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable, "-m", "pytest", "-q", "--no-header", "--noconftest", "-p", "no:cacheprovider", "-p",
            "no:doctest", "-W", "ignore", "-o", "addopts=", "-p", "keras_tapeflow.testing", f"--junitxml={report}",
            "--tb=line", f"--rootdir={_wheel()}", *(["-k", which] if which else []), "-n", jobs, "--pyargs", *parts,
        ]  # fmt: skip
        # Processes that tests spawn find the backend, too, as they do where tapeflow is installed from a wheel.
        (Path(folder) / "sitecustomize.py").write_text("import keras_tapeflow.hook\n", encoding="utf-8")
        path = os.pathsep.join(filter(None, [folder, str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = os.environ | {"KERAS_BACKEND": backend, "PYTHONPATH": path}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if not report.exists():
            raise RuntimeError(done.stdout + done.stderr)
        return outcomes(report)


def _wheel() -> Path:
    """The folder that Keras is installed in: with it as the root, tests go by their full names."""
    return Path(importlib.util.find_spec("keras").origin).parent.parent


def outcomes(report: Path) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        place = (case.get("classname") or case.get("name")).split(
            "."
        )  # without a class: a module that was skipped whole
        module = [name for name in place if name.endswith("_test")]
        name = f"{place[-1]}.{case.get('name')}"
        bad = next((child for child in case if child.tag in ("failure", "error")), None)
        skipped = any(child.tag == "skipped" for child in case)
        outcome = "skipped" if skipped else "passed" if bad is None else (bad.get("message") or "").partition("\n")[0]
        found[_part(place, module)].append((name, outcome))
    return found


def _part(place: list[str], module: list[str]) -> str:
    inside = place[place.index("src") + 1 :] if "src" in place else place
    if not inside:
        return module[0] if module else "?"
    return "/".join(inside[: 2 if inside[0] in ("layers", "ops", "backend") else 1]).removesuffix("_test")


def failures(found: dict[str, list[tuple[str, str]]]) -> dict[str, str]:
    bad = [(name, text) for cases in found.values() for name, text in cases if text not in ("passed", "skipped")]
    return {name: text for name, text in bad if name not in NOT_OURS}


def table(found: dict[str, list[tuple[str, str]]]) -> str:
    lines = ["| part | passed | failed | skipped |", "|---|---|---|---|"]
    total: Counter = Counter()
    for part, cases in sorted(found.items()):
        count = Counter(text if text in ("passed", "skipped") else "failed" for _, text in cases)
        total += count
        lines.append(f"| {part} | {count['passed']} | {count['failed']} | {count['skipped']} |")
    return "\n".join([*lines, f"| **together** | {total['passed']} | {total['failed']} | {total['skipped']} |"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*")
    for size in ("--full", "--short", "--long"):
        parser.add_argument(size, action="store_true")
    parser.add_argument("-n", "--jobs", default="0")
    parser.add_argument("--backend", default="tapeflow")
    options = parser.parse_args()
    which = (
        "" if options.full else SHORT if options.short else f"{DTYPES} or {LONG}" if options.long else f"not {DTYPES}"
    )
    found = run(options.parts or LAYERS + REST + (MORE if options.full else []), options.backend, which, options.jobs)
    if options.long and not options.parts:
        found |= run(MORE, options.backend, jobs=options.jobs)
    print(table(found))
    failed = failures(found)
    for name, text in failed.items():
        print(f"{'known' if name in KNOWN else 'FAILED'}: {name}: {KNOWN.get(name, text)}")
    return bool(failed.keys() - KNOWN.keys())


if __name__ == "__main__":
    sys.exit(main())
