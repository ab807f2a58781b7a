"""`function_type`, as TensorFlow writes it."""

import inspect

import tapeflow as tf

PAIR = tf.TensorSpec([2], tf.int32)
TEXT = "TensorSpec(shape=(2,), dtype=tf.int32, name=None)"


def test_of_a_concrete_function():
    kind = tf.function(lambda x, k=7: x + k).get_concrete_function(PAIR).function_type
    assert str(kind) == f"(x: {TEXT}, k: Literal[7]) -> {TEXT}"
    assert repr(kind).splitlines() == [
        "Input Parameters:",
        f"  x (POSITIONAL_OR_KEYWORD): {TEXT}",
        "  k (POSITIONAL_OR_KEYWORD): Literal[7]",
        "Output Type:",
        f"  {TEXT}",
        "Captures:",
        "  None",
    ]
    assert isinstance(kind, inspect.Signature) and not kind.captures
    want = f"Parameter(name=x, kind=POSITIONAL_OR_KEYWORD, optional=False, type_constraint={TEXT})"
    assert repr(kind.parameters["x"]) == want


def test_of_a_function():
    function = tf.function(lambda x: x + 1, input_signature=[PAIR])
    assert str(function.function_type) == f"(x: {TEXT})"
    assert "Output Type:\n  None" in repr(function.function_type)
    assert str(function.get_concrete_function().function_type) == f"(x: {TEXT}) -> {TEXT}"


def test_what_an_argument_is_traced_for():
    class Kind(tf.types.experimental.TraceType):
        def __init__(self, n):
            self.n = n

        def is_subtype_of(self, other):
            return self.n == other.n

        def most_specific_common_supertype(self, others):
            return None

        def placeholder_value(self, placeholder_context=None):
            return Value(self.n, None)

        def __eq__(self, other):
            return isinstance(other, Kind) and self.n == other.n

        def __hash__(self):
            return hash(self.n)

    class Value:
        def __init__(self, n, other):
            self.n, self.other = n, other

        def __tf_tracing_type__(self, context):
            return Kind(self.n)

    assert isinstance(Value(1, "a"), tf.types.experimental.SupportsTracingProtocol)
    traced = []
    function = tf.function(lambda value: (traced.append(value.n), tf.constant(value.n))[1])
    assert [int(function(Value(n, other))) for n, other in ((1, "a"), (1, "b"), (2, "c"))] == [1, 1, 2]
    assert traced == [1, 2]
