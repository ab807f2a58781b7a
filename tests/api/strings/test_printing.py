"""tf.print: what TensorFlow 2.21 prints, and where to."""

import collections
import io
import logging
import sys

import numpy as np
import pytest

import tapeflow as tf

Pair = collections.namedtuple("Pair", "u v")


def printed(*inputs, **options):
    stream = io.StringIO()
    tf.print(*inputs, output_stream=stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    "inputs, text",
    [
        (("a", 1, 1.5, True, None, b"x"), "a 1 1.5 True None b'x'"),
        (([1, 2], (1,), {"b": tf.constant(1.0), "a": {}}), "[1, 2] (1,) {'a': {}, 'b': 1}"),
        ((tf.range(20),), "[0 1 2 ... 17 18 19]"),
        ((tf.constant("text"),), "text"),
        (("a", tf.constant("text")), 'a "text"'),
        ((tf.constant(["a", "b"]),), '["a" "b"]'),
        ((tf.constant([True, False]),), "[1 0]"),
        ((tf.zeros([2]).shape, tf.float32), "TensorShape([2]) tf.float32"),
        ((Pair(1, tf.constant(2.0)),), "Pair(u=1, v=2)"),
        ((tf.constant(0.1), tf.constant(1e20), np.float32(0.5)), "0.1 1e+20 np.float32(0.5)"),
        ((), ""),
    ],
)
def test_text(inputs, text):
    assert printed(*inputs) == text + "\n"


def test_options():
    assert printed(1, 2, sep="|", end="!") == "1|2!"
    assert printed(tf.range(10), summarize=-1) == "[0 1 2 3 4 5 6 7 8 9]\n"
    assert printed(tf.range(10), summarize=1) == "[0 ... 9]\n"
    with pytest.raises(ValueError, match="Unrecognized keyword"):
        tf.print(1, colour="red")
    with pytest.raises(TypeError, match="summarize"):
        tf.print(1, summarize="x")


def test_streams(tmp_path, capsys, caplog):
    tf.print("to stderr")
    tf.print("to stdout", output_stream=sys.stdout)
    assert capsys.readouterr() == ("to stdout\n", "to stderr\n")
    path = tmp_path / "out.txt"
    for line in ("one", "two"):
        tf.print(line, output_stream=f"file://{path}")
    assert path.read_text() == "one\ntwo\n"
    with caplog.at_level(logging.INFO):
        tf.print("to the log", tf.constant(1), output_stream=logging.info)
        tf.print("100 % sure", output_stream=tf.compat.v1.logging.warning)
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("INFO", "to the log 1"),
        ("WARNING", "100 % sure"),
    ]
    for wrong in ("bogus", 3):
        with pytest.raises(ValueError, match="Unsupported output stream"):
            tf.print("x", output_stream=wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot write"):
        tf.print("x", output_stream=f"file://{tmp_path}")


def test_in_a_function_a_wrong_stream_is_found_when_it_is_traced():
    @tf.function
    def f(x):
        tf.print(x, output_stream="bogus")

    with pytest.raises(ValueError, match="Unsupported output stream"):
        f.get_concrete_function(tf.TensorSpec([]))


def test_at_every_run(capsys):
    @tf.function
    def f(x):
        tf.print("in", x, [x, {"k": x}], 3, output_stream=sys.stdout)

    f(tf.constant([1.0, 2.0]))
    f(tf.constant([3.0, 4.0]))
    assert capsys.readouterr().out == "in [1 2] [[1 2], {'k': [1 2]}] 3\nin [3 4] [[3 4], {'k': [3 4]}] 3\n"
