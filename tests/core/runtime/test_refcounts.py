"""Who holds an object is found out rightly, however the question is asked: cold, warm, traced, from anywhere."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.runtime import refcounts
from tapeflow.core.runtime.refcounts import held_elsewhere

CERTAIN = "free-threading" not in sys.version  # elsewhere "held" is always the answer


class Owner:
    def __init__(self, held):
        self.held = held


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


def asked(kind, make):
    """(Is it held when it is not, is it held when somebody else has it, and with two owners)."""
    alone = held_elsewhere(kind(make()), "held")
    shared = make()
    owner = kind(shared)
    by_a_name = held_elsewhere(owner, "held")
    another = [shared]
    del shared
    by_a_list = held_elsewhere(owner, "held"), held_elsewhere(owner, "held", known=2)
    another.clear()
    return alone, by_a_name, *by_a_list, held_elsewhere(owner, "held")


def directly(ask):
    return ask()


def traced(ask):
    def trace(frame, event, arg):
        frame.f_locals  # noqa: B018  a debugger looks; up to Python 3.12 a frame then holds everything twice
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return ask()
    finally:
        sys.settrace(before)


def profiled(ask):
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: frame.f_locals)
    try:
        return ask()
    finally:
        sys.setprofile(before)


def generated(ask):
    return next(ask() for _ in range(1))


def warm(ask):
    for _ in range(3000):
        found = ask()
    return found


def elsewhere(ask):
    found = []
    thread = threading.Thread(target=lambda: found.append(ask()))
    thread.start()
    thread.join()
    return found[0]


WAYS = [directly, traced, profiled, generated, warm, elsewhere]
way = pytest.mark.parametrize("way", WAYS)


@way
@pytest.mark.parametrize("kind", [Owner, Slotted])
@pytest.mark.parametrize("make", [object, lambda: np.zeros(3), lambda: tf.constant(2.0)])
def test_counts(way, kind, make):
    found = way(lambda: asked(kind, make))
    assert found == ((False, True, True, False, False) if CERTAIN else (True,) * 5)


def test_calibrated_under_a_debugger():
    """The first question may be asked while every frame is looked at."""
    program = (
        "import runpy, sys\n"
        "def trace(frame, event, arg):\n    frame.f_locals\n    return trace\n"
        "sys.settrace(trace)\n"
        "found = runpy.run_path(sys.argv[1])\n"
        "sys.settrace(None)\n"
        "print(found['_by_asking'])\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", program, refcounts.__file__], capture_output=True, text=True, check=True
    ).stdout
    assert float(out) == (1 if CERTAIN else -float("inf"))


def test_no_certainty_where_answers_differ(monkeypatch):
    counts = iter(range(10**6))
    monkeypatch.setattr(refcounts, "_count", lambda owner, name: next(counts) % 2 + 2)
    assert refcounts._calibrated() == -float("inf")


# ---- what a graph captures, and what is a constant of it


def kept():
    """What programs keep is captured, and has a gradient later; the list says how each was kept."""
    outside, box, made = tf.constant(2.0), {}, []

    @tf.function
    def f(x):
        with tf.init_scope():
            box["made"] = box.get("made", tf.constant(5.0))
        made.append(tf.constant(7.0))
        return x * outside * box["made"] * made[0] + tf.constant(3.0) * x * 11.0

    f(tf.constant(1.0))
    with tf.GradientTape() as tape:
        tape.watch([outside, box["made"]])
        y = f(tf.constant(1.0))
    concrete = f.get_concrete_function(tf.constant(1.0))
    return [float(g) for g in tape.gradient(y, [outside, box["made"]])], len(concrete.graph.captures)


@way
def test_captures(way):
    if way is warm:
        for _ in range(30):
            kept()
    gradients, captured = directly(kept) if way is warm else way(kept)
    assert gradients == [35.0, 14.0]
    assert captured == 3  # and nothing that only the graph has


@pytest.mark.parametrize("way", [w for w in WAYS if w is not warm])
def test_a_branch_captures(way):
    outside = tf.constant(2.0)

    def run():
        @tf.function
        def f(x):
            return tf.cond(x > 0.0, lambda: x * outside, lambda: x * 3.0)

        f(tf.constant(1.0))
        with tf.GradientTape() as tape:
            tape.watch(outside)
            y = f(tf.constant(4.0))
        return float(tape.gradient(y, outside))

    assert way(run) == 4.0
