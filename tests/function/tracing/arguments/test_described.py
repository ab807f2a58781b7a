"""What a concrete function says of itself."""

import tapeflow as tf

from .refusals import SCALAR, c


def test_signature_text():
    f = tf.function(lambda d, *a, q=1, **k: ({"y": d["a"]}, [k["z"], None, 3]))
    function = f.get_concrete_function({"a": SCALAR}, SCALAR, z=SCALAR)
    scalar = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    number = "TensorSpec(shape=(), dtype=tf.int32, name=None)"
    want = [
        "Input Parameters:",
        f"  d (POSITIONAL_ONLY): Dict[['a', {scalar}]]",
        f"  a_0 (POSITIONAL_ONLY): {scalar}",
        "  q (KEYWORD_ONLY): Literal[1]",
        f"  z (KEYWORD_ONLY): {scalar}",
        "Output Type:",
        f"  Tuple[Dict[['y', {scalar}]], List[{scalar}, Literal[None], {number}]]",
        "Captures:",
        "  None",
    ]
    assert function.pretty_printed_signature().splitlines() == want
    assert str(function) == "ConcreteFunction " + "\n".join(want)
    assert repr(function).startswith(
        f"<ConcreteFunction <lambda>(d: Dict[['a', {scalar}]], a_0: {scalar}, q: Literal[1], z: {scalar}) -> Tuple"
    )


def test_captures():
    v, captured = tf.Variable(1.0, name="v"), c([1.0, 2.0])
    function = tf.function(lambda x: x * v * captured).get_concrete_function(SCALAR)
    assert str(function).splitlines()[-2:] == [
        f"  {id(captured)}: TensorSpec(shape=(2,), dtype=tf.float32, name=None)",
        f"  {id(v)}: TensorSpec(shape=(), dtype=tf.float32, name='v:0')",
    ]


def test_outputs_that_are_none():
    function = tf.function(lambda x: (x, None)).get_concrete_function(c(1.0))
    assert function.output_dtypes == (tf.float32, None)
    assert str(function.output_shapes) == "(TensorShape([]), TensorShape(None))"
    function = tf.function(lambda x: {"n": 2, "x": [x]}).get_concrete_function(c([1.0]))
    assert function.output_dtypes == {"n": tf.int32, "x": [tf.float32]}


def test_without_a_graph():
    function = tf.function(lambda x: x * [1.0, 2.0][tf.cast(x[0], tf.int32)]).get_concrete_function(c([1.0]))
    assert "what the Python function returns" in str(function) and "x: TensorSpec(shape=(1,)" in repr(function)
