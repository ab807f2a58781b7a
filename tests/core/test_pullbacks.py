"""What a tape keeps for an operation, and how the rules are called."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core import primitive as declared
from tapeflow.core.primitive import CUT, NO_RULE, REGISTRY, Primitive, bare


@pytest.fixture(autouse=True)
def forgotten():
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def kept(record):
    return record[3]


def test_only_what_the_rules_ask_for_is_kept():
    x, y = tf.constant([2.0, 3.0]), tf.constant([5.0, 7.0])
    product = REGISTRY["mul"]
    for mask, saved, expected in ((1, y, [5, 7]), (2, x, [2, 3])):
        plan = product.recorder(mask, 2)
        record = plan.record(9, x * y, {}, x, y)
        assert [v is saved for v in kept(record)] == [True] and record[0] == 9
        found = record[2].on_arrays(bare, np.ones(2, np.float32), kept(record))
        assert np.asarray(found).tolist() == expected
    assert len(kept(REGISTRY["tanh"].recorder(1, 1).record(9, x, {}, y))) == 1  # the output alone


def test_a_gradient_is_summed_back_to_the_shape_of_its_input():
    x, y = tf.ones([3, 2]), tf.ones([2])
    plan = REGISTRY["add"].recorder(3, 2)
    record = plan.record(9, x + y, {}, x, y)
    by_x, by_y = plan.pullback.on_arrays(bare, np.full((3, 2), 2.0, np.float32), kept(record))
    assert by_x.tolist() == [[2, 2]] * 3 and by_y.tolist() == [6, 6]


def test_a_joint_rule_is_called_once():
    calls = []

    def joint(g, a, b):
        calls.append(1)
        return g * b, g * a

    prim = Primitive("joined_product(a, b)", kernel="multiply", vjp={("a", "b"): joint})
    plan = prim.recorder(3, 2)
    a, b = tf.constant(2.0), tf.constant(3.0)
    found = plan.pullback.on_arrays(bare, np.float32(1), kept(plan.record(9, a * b, {}, a, b)))
    assert [float(f) for f in found] == [3, 2] and calls == [1]


def test_a_joint_rule_is_called_once_where_inputs_broadcast():
    """It was called for each input that was watched: five times for a normalisation."""
    calls = []

    def joint(g, a, b):
        calls.append(1)
        return g * b, g * a

    prim = Primitive(
        "spread_product(a, b)", kernel="multiply", vjp={("a", "b"): joint}, broadcasts=REGISTRY["mul"].broadcasts
    )
    plan = prim.recorder(3, 2)
    a, b = tf.constant([[2.0], [3.0]]), tf.constant([4.0, 5.0])
    saved = kept(plan.record(9, a * b, {}, a, b))
    found = plan.pullback.on_arrays(bare, np.ones((2, 2), np.float32), saved)
    assert [f.tolist() for f in found] == [[[9.0], [9.0]], [5.0, 5.0]] and calls == [1]
    found = plan.pullback.on_tensors(declared.recorded, tf.ones([2, 2]), saved)
    assert [f.numpy().tolist() for f in found] == [[[9.0], [9.0]], [5.0, 5.0]] and calls == [1, 1]
    assert plan.pullback.restricted((1,)).on_arrays(bare, np.ones((2, 2), np.float32), saved).tolist() == [5.0, 5.0]


def test_where_no_gradient_flows_there_is_no_plan():
    assert Primitive("cut_off(x)", kernel="sin", vjp=CUT).recorder(1, 1) is None
    missing = Primitive("ruleless(x)", kernel="sin", vjp=NO_RULE).recorder(1, 1)
    with pytest.raises(LookupError, match="no entry for: ruleless"):
        missing.pullback.on_arrays(bare, 1.0, ())


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (dict(vjp={"z": lambda g: g}), "has a rule for 'z', but its inputs are"),
        (dict(vjp=lambda g, q: g), "asks for 'q'"),
        (dict(vjp=lambda g: g, jvp={("x", "x"): lambda t: t}), "a forward rule belongs to one input"),
    ],
)
def test_wrong_rules_fail_when_they_are_declared(rules, message):
    with pytest.raises(TypeError, match=message):
        declared.Primitive("wrong(x)", kernel="sin", **rules)
