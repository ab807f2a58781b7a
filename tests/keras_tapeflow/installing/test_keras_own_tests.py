"""Keras' own tests pass on tapeflow, those apart that are known to fail, with a reason each. `make test-all` runs all
of them."""

import importlib.util
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "keras_tests.py"
spec = importlib.util.spec_from_file_location("keras_tests", SCRIPT)
keras_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(keras_tests)


@pytest.mark.parametrize(
    ("parts", "least"), [(keras_tests.LAYERS, 1700), (keras_tests.REST, 4600)], ids=["layers", "rest"]
)
def test_core_set(parts, least):
    found = keras_tests.run(parts, which=keras_tests.SHORT)
    cases = [case for part in found.values() for case in part]
    failed = keras_tests.failures(found)
    known = {name for name, _ in cases} & keras_tests.KNOWN.keys()
    assert {name: failed.get(name, "passed, though known to fail") for name in failed.keys() ^ known} == {}
    assert Counter(outcome for _, outcome in cases)["passed"] >= least


STARTS = """
import importlib, multiprocessing, sys

if __name__ == "__main__":
    import keras_tapeflow.testing

    child = multiprocessing.get_context(sys.argv[1]).Process(
        target=importlib.import_module, args=("keras.src.trainers.data_adapters.py_dataset_adapter_test",)
    )
    child.start()
    child.join()
    sys.exit(child.exitcode)
"""


@pytest.mark.parametrize("method", ["forkserver", pytest.param("spawn", marks=pytest.mark.long)])
def test_processes_that_tests_start_find_what_tests_import(tmp_path, method):
    """Python 3.14 forks from a server. A pool's processes ended there at once, and were started again for ever."""
    program = tmp_path / "starts.py"
    program.write_text(STARTS, encoding="utf-8")
    environment = os.environ | {"KERAS_BACKEND": "tapeflow", "PYTHONPATH": str(SCRIPT.parents[1])}
    subprocess.run([sys.executable, program, method], check=True, env=environment, timeout=300)
