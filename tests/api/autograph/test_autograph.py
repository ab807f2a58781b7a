"""`tf.autograph`."""

import pytest

import tapeflow as tf

pytest.importorskip("malt")


def clipped(x):
    if x > 1.0:
        x = tf.ones_like(x)
    return x


def test_to_code_shows_operators():
    code = tf.autograph.to_code(clipped)
    assert "ag__.if_stmt(x > 1.0, if_body, else_body" in code and code.startswith("def clipped(x):")
    assert tf.autograph.to_code(tf.function(clipped)) == code


def test_to_graph_is_a_function_of_tensors():
    made = tf.autograph.to_graph(clipped)
    assert float(made(tf.constant(3.0))) == 1.0 and made.__name__ == "clipped"
    assert float(tf.function(made, autograph=False)(tf.constant(0.5))) == 0.5


def test_what_cannot_be_converted():
    with pytest.raises(ValueError, match="cannot be converted"):
        tf.autograph.to_graph(len)
    with pytest.raises(TypeError, match="A function is converted, got 5"):
        tf.autograph.to_graph(5)


def test_verbosity(caplog, capsys):
    def generator(x):
        yield x

    tf.autograph.set_verbosity(1, alsologtostdout=True)
    try:
        tf.function(tf.autograph.to_graph(lambda x: list(generator(x))))(tf.constant(1.0))
    finally:
        tf.autograph.set_verbosity(0)
    assert "runs it as it is: it contains a generator" in capsys.readouterr().out


def test_names():
    assert tf.autograph.experimental.do_not_convert()(clipped).__name__ == "clipped"
    assert tf.autograph.experimental.set_loop_options(maximum_iterations=3) is None
    assert tf.autograph.experimental.Feature.ALL.value == "ALL"
