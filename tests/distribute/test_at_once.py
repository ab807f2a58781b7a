"""Replicas as one program for the devices of a mesh. It needs devices of its own, so all of it runs in a process of
its own, `eight_cpus` below; here is what it must print."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found():
    done = subprocess.run(
        [sys.executable, "-m", "tests.distribute.eight_cpus"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


pytestmark = pytest.mark.long  # XLA compiles, and a process starts


def test_it_is_one_operation_traced_once(found):
    assert found["once"] == {"traced": 1, "nodes": ["<lambda> of 8 replicas"], "losses": [28.0, 56.0]}


def test_collectives_and_their_gradients(found):
    by_turns, at_once = found["gradients"]
    assert at_once == pytest.approx(by_turns, rel=1e-5)


def test_a_tape_around(found):
    """By a variable, by what each replica was given, and of second order."""
    by_turns, at_once = found["around"]
    assert at_once == pytest.approx(by_turns, rel=1e-5)


def test_forward_mode_and_rows(found):
    assert found["forward"][0] == pytest.approx(found["forward"][1], rel=1e-5)
    assert found["rows"][0] == pytest.approx(found["rows"][1], rel=1e-5)


def test_variables(found):
    assert found["variables"] == {"sum": 36.0, "mean": 4.5, "first": 1.0, "each": [float(k + 1) for k in range(8)]}


def test_assigning_what_differs(found):
    assert "SUM or ONLY_FIRST_REPLICA" in found["differs"] and found["after"] == 1.0


def test_random_numbers(found):
    assert found["random"] == {"distinct": 8, "again": True, "generators": 8, "stateless": 1}


def test_what_would_hang_is_refused(found):
    assert "branch or loop" in found["hangs"] and found["loop"] == [84.0] * 8


def test_what_goes_by_turns(found):
    """Unlike shapes, texts, prints, and variables of no strategy."""
    assert found["turns"] == {"shapes": [3.0, 1.0], "text": ["0a", "1a"], "print": [0.0, 1.0], "plain": 3.0}


def test_keras(found):
    assert found["keras"][0] == pytest.approx(found["keras"][1], rel=1e-4)


def test_a_function_that_reads_an_iterator(found):
    """The inner function is defined anew in each call, and traced once."""
    assert found["iterator"] == [[120, 376, 632], 1, sum(range(48))]


def test_many_steps_do_not_wait_for_each_other_for_ever(found):
    assert found["steps"] == 300 * 28.0


def test_compiled(found):
    assert found["jit"] == [2.0 * k for k in range(8)]


def test_weights_stay_on_the_devices(found):
    """They went to all devices at every step."""
    # At each step the batch alone is sent, and not weights, the replicas' numbers or what each of them counts.
    assert found["sent"] == {"later": 3, "assigned": 1 + 1}
    at_once, by_turns, apart = found["descent"]
    assert at_once == pytest.approx(by_turns, abs=2e-4) and apart < 2e-4


def test_small_gradients_are_exchanged_together(found):
    """Of seven exchanges six are of gradients, and the loss goes with them."""
    assert found["exchanges"] == 1
