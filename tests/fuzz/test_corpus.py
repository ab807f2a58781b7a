"""tapeflow next to TensorFlow's stored answers: a sample of them; all are marked `long`."""

import numpy as np
import pytest

import tapeflow as tf
from fuzz import answers, corpus, explained, explained_tensorflow
from fuzz.calls import parse

PARTS = 20


def open_ones(found):
    return [str(d.call) for d in found if explained.reason(d) is None]


def test_a_part_agrees():
    found = corpus.check(tf, corpus.stored()[::PARTS])
    assert not open_ones(found)


@pytest.mark.long
def test_all_agree_and_no_explanation_is_idle():
    found = corpus.check(tf, corpus.stored())
    assert not open_ones(found)
    used = {explained.reason(d) for d in found}
    idle = [e.reason for e in explained_tensorflow.TABLE if e not in used]
    assert not idle


@pytest.mark.parametrize("factor", [1.0, 1.001])
def test_a_planted_wrong_value_and_gradient(monkeypatch, factor):
    """A kernel that is off by a thousandth, and a gradient that is, differ from the stored answers."""
    sine = tf.math.sin

    @tf.custom_gradient
    def wrong(x):
        return sine(x), lambda g: g * tf.cos(x) * tf.cast(factor, x.dtype)

    entries = [
        e for e in corpus.stored() if e[0].startswith("tf.math.sin(") and ("'float32'" in e[0] or "'float64'" in e[0])
    ]
    assert entries
    for function, how in ((lambda x: sine(x) * tf.cast(factor, x.dtype), "value"), (wrong, "gradient's value")):
        monkeypatch.setattr(tf.math, "sin", lambda x, f=function: f(tf.convert_to_tensor(x)))
        assert (how in {d.how for d in corpus.check(tf, entries)}) == (factor != 1.0)


def test_an_answer_is_small_and_says_what_differs():
    call = parse("tf.math.add(array('float32', (40, 3), 'normal', 1), 1.0)")
    answer = answers.answer(tf, call)
    assert answer["y"][0][:2] == ["float32", [40, 3]] and len(answer["y"][0][2]) <= answers.KEPT
    assert answers.difference(answer, answer) is None
    assert answers.difference(answer, {"error": "ValueError"}) == "error"
    assert answers.difference({"error": "TypeError"}, {"error": "ValueError"}) == "type of error"
    assert answers.difference({"y": [answers.write(np.ones(2))]}, {"y": [answers.write(np.ones(3))]}) == "shape"
