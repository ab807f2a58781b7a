"""In notebooks, and at the prompt, a spent tape is remembered: its operations and sizes, and no tensor."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.inspect import keeping, summary
from tapeflow.inspect.summary import entries_of
from tapeflow.tape.recording import remains


@pytest.fixture
def somebody_types(monkeypatch):
    monkeypatch.setattr(remains, "of", keeping.kept)


def spent_tape(jacobian=False):
    v = tf.Variable(np.ones(1000, np.float32), name="v")
    with tf.GradientTape() as tape:
        q, r = tf.linalg.qr(tf.reshape(tf.exp(v[:4]), [2, 2]))
        y = tf.reduce_sum(q) + tf.reduce_sum(r)
    before = summary.text(tape)
    (tape.jacobian if jacobian else tape.gradient)(y, v)
    return tape, before


@pytest.mark.parametrize("jacobian", [False, True])
def test_where_somebody_types_a_spent_tape_is_remembered(somebody_types, jacobian):
    tape, before = spent_tape(jacobian)
    assert summary.text(tape) == before.replace(" kept for", " were kept for", 1)
    assert "v" in [e.watched for e in entries_of(tape)], "sources have their names"
    assert "<table>" in tape._repr_html_() and "exp" in tape.report().html and "spent" in repr(tape)
    assert not tape._recording.records


def test_it_is_remembered_without_its_tensors(somebody_types):
    v = tf.Variable(np.ones(1000, np.float32))
    with tf.GradientTape() as tape:
        h = tf.exp(v * 2.0)
        y = tf.reduce_sum(h * h)
    kept = weakref.ref(h.array)
    del h
    tape.gradient(y, v)
    gc.collect()
    assert kept() is None and "4.0 kB were kept" in summary.text(tape)


def test_large_tapes_and_those_of_scripts_are_forgotten(somebody_types, monkeypatch):
    monkeypatch.setattr(keeping, "_MOST", 2)
    assert "knew how" in summary.text(spent_tape()[0])
    monkeypatch.setattr(remains, "of", None)
    tape, _ = spent_tape()
    said = summary.text(tape)
    assert "The tape is spent: it knew how 8 values were computed" in said and "explain_gradients()" in said
    assert repr(tape) == "<tf.GradientTape: results=8, variables=1, tensors=0, spent>"


def test_where_somebody_types():
    program = "import tapeflow.tape.recording as r; print('keeps', r.remains.of is not None)"
    started = {"": "False", "import sys; sys.ps1 = '>'; import tapeflow; ": "True"}
    for start, found in started.items():
        done = subprocess.run([sys.executable, "-c", f"{start}import tapeflow; {program}"], capture_output=True)
        assert done.stdout.decode().strip() == f"keeps {found}", done.stderr.decode()
