"""What is asked about the machine and the build."""

import platform
import unittest
from importlib.util import find_spec

import pytest

import tapeflow as tf


def test_processors():
    here = "arm" if platform.machine().lower().startswith(("arm", "aarch")) else "x86"
    other = {"arm": "x86", "x86": "arm"}[here]
    assert tf.test.is_cpu_target_available(here) and not tf.test.is_cpu_target_available(other)
    with pytest.raises(AssertionError, match="Unknown CPU target: abacus"):
        tf.test.is_cpu_target_available("abacus")


def test_builds():
    assert not tf.test.is_built_with_cuda() and not tf.test.is_built_with_rocm()
    assert tf.test.is_built_with_xla() == (find_spec("jax") is not None)
    assert bool(tf.test.gpu_device_name()) == tf.test.is_gpu_available()


@pytest.mark.parametrize("skipped", [True, False])
def test_a_test_that_is_skipped_where_something_holds(skipped):
    ran = []

    class Case(unittest.TestCase):
        @tf.test.disable_with_predicate(lambda: skipped, "because")
        def test(self):
            ran.append(1)

    result = unittest.TestResult()
    Case("test").run(result)
    assert [reason for _, reason in result.skipped] == ["because"] * skipped
    assert ran == [1] * (not skipped) and not result.failures
