"""What every test and docstring example has: the names `tf` and `np`, the same random numbers each time, and none of
the user's settings."""

import atexit
import doctest
import os
import random
import signal
import tempfile

# Before anything is imported; processes that tests start have it from here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # arrays are small here, and threads that wait for work spin
os.environ.pop("KERAS_BACKEND", None)  # the tests are about Keras on tapeflow, whatever this shell uses
_KERAS = tempfile.TemporaryDirectory(prefix="keras-")
atexit.register(_KERAS.cleanup)
os.environ["KERAS_HOME"] = _KERAS.name  # and about Keras' own defaults, not what ~/.keras/keras.json says
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; programs of tests inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

import numpy as np
import pytest
from hypothesis import settings

import tapeflow as tf
from tests.rounding import assert_allclose, same_text

# Examples print all digits, and the last of them depend on the processor.
_exact = doctest.OutputChecker.check_output
doctest.OutputChecker.check_output = lambda self, want, got, flags: (
    _exact(self, want, got, flags) or same_text(want, got)
)

np.testing.assert_allclose = assert_allclose

collect_ignore = [
    "tapeflow/keras",  # for type checkers alone
    "tests/typing/mistakes.py",
    "tapeflow/programs/child.py",  # importing these makes tapeflow stand in for TensorFlow
    "tapeflow/programs/pytest_plugin.py",
]
SEED = 2015
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["np"] = np
    doctest_namespace["tf"] = tf


@pytest.fixture(autouse=True)
def _same_random_numbers():
    random.seed(SEED)
    np.random.seed(SEED)
    if hasattr(tf.random, "set_seed"):
        tf.random.set_seed(SEED)


def pytest_collection_modifyitems(items):
    """Processes that share the tests find the same ones: the name of none has an address in it."""
    differing = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if differing:
        raise pytest.UsageError(
            f"These tests have other names in every process: {differing[:3]}. Give their parameters ids."
        )
