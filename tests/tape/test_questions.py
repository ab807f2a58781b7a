"""The questions that a tape answers about itself are methods of its class, and `tapeflow.inspect` answers them."""

import inspect

import pytest

import tapeflow as tf
from tapeflow.tape.questions import Questions

NAMES = ["explain", "summary", "report", "_repr_html_"]


@pytest.mark.parametrize("name", NAMES)
def test_they_are_written_in_the_class(name):
    """Tools that read the source see them: they used to be assigned from above."""
    method = getattr(tf.GradientTape, name)
    assert method is vars(Questions)[name] and method.__doc__
    assert inspect.signature(method).return_annotation is not inspect.Signature.empty


def test_what_they_give():
    v = tf.Variable(2.0, name="v")
    with tf.GradientTape() as tape:
        y = v * v
    lines: list[str] = []
    tape.summary(print_fn=lines.append)
    found = tape.explain(target=y, sources=[v])
    assert lines[0].startswith("1 operation recorded") and found.connected and found[0].kind == "connected"
    assert "<table>" in tape._repr_html_() and "<table>" in found._repr_html_()
    assert "mul" in tape.report(path=None).html
