"""`tape.explain`: every cause that it knows, one test each, with the line where it happened."""

import linecache

import numpy as np
import pytest

import tapeflow as tf


def only(tape, target, source):
    """The report on one source, whose gradient must be None where the tape can still say."""
    if not tape._recording.spent and not tape._active:
        gradients = tape.gradient(target, source)
        assert gradients is None
    [report] = tape.explain(target, source)
    assert not report.connected and report.repair
    return report


def text_at(report):
    """The line of this file that a report points at."""
    name, _, number = report.where.rpartition(":")
    assert name == "test_explain.py", report
    return linecache.getline(__file__, int(number))


@pytest.fixture
def x():
    return tf.constant([1.0, 2.0])


# ---- without any preparation


def test_connected(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    [report] = found = tape.explain(y, x)
    assert found.connected and report.connected and report.kind == "connected" and str(report) == "source: connected."


def test_integer_source():
    n = tf.constant([1, 2])
    with tf.GradientTape() as tape:
        tape.watch(n)
        y = tf.cast(n, tf.float32) * 2.0
    assert only(tape, y, n).kind == "integer source"


def test_integer_target(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        label = tf.argmax(x)
    [report] = tape.explain(label, x)
    assert report.kind == "integer target" and not report.connected


def test_variable_that_is_not_trainable():
    v = tf.Variable(1.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * 2.0
    assert only(tape, y, v).kind == "not trainable"


def test_variable_that_must_be_watched():
    v = tf.Variable(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * 2.0
    report = only(tape, y, v)
    assert report.kind == "not watched" and "watch_accessed_variables=False" in report.reason


def test_variable_that_is_not_read():
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = w * 2.0
    assert only(tape, y, v).kind == "not read"


def test_another_variable_of_the_same_name():
    old, new = tf.Variable(1.0, name="kernel"), tf.Variable(1.0, name="kernel")
    with tf.GradientTape() as tape:
        y = new * 2.0
    report = only(tape, y, old)
    assert report.kind == "another variable" and report.name == "kernel"


def test_tensor_that_is_not_watched(x):
    with tf.GradientTape() as tape:
        y = x * 2.0
    assert only(tape, y, x).kind == "not watched"


def test_another_tensor_is_watched(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    assert only(tape, y, tf.constant([1.0, 2.0])).kind == "another tensor"


def test_left_through_numpy(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(x.numpy() * 2.0)
    report = only(tape, y, x)
    assert report.kind == "left the tape" and "x.numpy()" in text_at(report)


def test_left_through_a_python_number(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(float(x[0]))
    report = only(tape, y, x)
    assert report.kind == "left the tape" and "float(x[0])" in text_at(report)


def test_left_through_a_numpy_function(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(np.asarray(x) * 2)
    report = only(tape, y, x)
    assert report.kind == "left the tape" and "np.asarray" in text_at(report)


def test_integer_cast(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        n = tf.cast(x, tf.int32)
        y = tf.cast(n, tf.float32) * 2.0
    report = only(tape, y, x)
    assert report.kind == "integer cast" and "tf.int32" in text_at(report)


def test_stop_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(x * 2.0) * 3.0
    report = only(tape, y, x)
    assert report.kind == "stop_gradient" and "tf.stop_gradient" in text_at(report)


def test_stop_recording(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            z = x * 2.0
        y = z * 3.0
    report = only(tape, y, x)
    assert report.kind == "stop_recording" and "z = x * 2.0" in text_at(report)


def test_operation_without_a_derivative(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.floor(x) * 2.0
    report = only(tape, y, x)
    assert report.kind == "not differentiable" and "floor" in report.reason and "tf.floor(x)" in text_at(report)


def test_overwritten_variable(x):
    v = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        v.assign(x * 2.0)
        y = v * 3.0
    report = only(tape, y, x)
    assert report.kind == "assignment" and "v.assign" in text_at(report)


def test_target_that_the_tape_did_not_record(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert only(tape, y * 2.0, x).kind == "not recorded"


def test_watched_but_not_used(x):
    z = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, z])
        y = x * x
    assert only(tape, y, z).kind == "not used"


def test_tape_that_was_never_entered(x):
    report = only_of_unentered = tf.GradientTape().explain(x, x)[0]
    assert report.kind == "not recorded" and only_of_unentered.repair


# ---- on spent tapes


def test_spent_tapes_remember(x):
    z, u = tf.constant(1.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, z, u])
        y = tf.reduce_sum(x * 2.0) + tf.stop_gradient(z) + u
    assert tape.gradient(y, [x, z])[1] is None
    on_x, on_z, on_u = tape.explain(y, [x, z, u])
    assert on_x.connected and on_z.kind == "stop_gradient" and on_u.connected


def test_spent_tape_without_loose_ends_knows_what_it_was_asked(x):
    z, u = tf.constant(1.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, z, u])
        y = x * 2.0
    assert tape.gradient(y, [x, z])[1] is None
    on_x, on_z, on_u = tape.explain(y, [x, z, u])
    assert on_x.connected and on_z.kind == "not used" and on_u.kind == "not known"


# ---- with provenance: the lines of everything


@pytest.fixture
def provenance():
    with tf.debugging.explain_gradients():
        yield


def test_used_before_it_was_watched(x, provenance):
    y = x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = y * 3.0
    report = only(tape, z, x)
    assert report.kind == "used too early" and "y = x * x" in text_at(report) and "test_explain.py" in report.reason


def test_read_before_the_tape_opened(provenance):
    v = tf.Variable(2.0)
    value = v.read_value()
    with tf.GradientTape() as tape:
        y = value * 3.0
    report = only(tape, y, v)
    assert report.kind == "read too early" and "v.read_value()" in text_at(report)


def test_read_after_the_tape_closed(provenance):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        pass
    y = v * 3.0
    report = only(tape, y, v)
    assert report.kind == "read too late" and "y = v * 3.0" in text_at(report)


def test_target_computed_after_the_tape_closed(x, provenance):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * 2.0
    report = only(tape, z, x)
    assert report.kind == "target outside" and "z = y * 2.0" in text_at(report)


def test_where_an_unwatched_tensor_was_made(provenance):
    a = tf.constant(1.0) * 2.0
    with tf.GradientTape() as tape:
        y = a * a
    report = only(tape, y, a)
    assert report.kind == "not watched" and "a = tf.constant(1.0) * 2.0" in text_at(report)


def test_the_switch():
    tf.debugging.explain_gradients()
    try:
        with tf.debugging.explain_gradients():
            pass
        with tf.GradientTape() as tape:
            pass
        assert tape._recording.listeners, "still on after a block inside"
    finally:
        tf.debugging.explain_gradients(False)
    with tf.GradientTape() as tape:
        pass
    assert not tape._recording.listeners


def test_many_sources_and_their_names(x):
    v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w")
    with tf.GradientTape() as tape:
        y = v * 2.0
    found = tape.explain(y, {"a": v, "b": [w, x]})
    assert [r.name for r in found] == ["v", "w", "source['b'][1]"] and [r.connected for r in found] == [
        True,
        False,
        False,
    ]
    assert str(found).startswith("v: connected.\nw: None.\n  The variable was not read while the tape recorded")
    assert not found.connected and len(found) == 3


# ---- the stated cause is the real one


def test_what_happened_after_the_target_is_no_reason():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = w * 3.0
        tf.argmax([v * 2.0, 1.0])
        float(v * 2.0)
    assert [c.kind for c in only(tape, loss, v).causes] == ["not used"]


def test_a_value_that_left_need_not_be_the_reason():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        float(v * 2.0)
        loss = w * 3.0
    assert [c.kind for c in only(tape, loss, v).causes] == ["left the tape", "not used"]


def test_of_several_cuts_the_one_that_made_the_target(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        tf.floor(x)
        y = tf.round(x)
        tf.argmax(x)
    assert [c.text for c in only(tape, y, x).causes] == ["the path is cut: round is not differentiable"]


def test_provenance_says_which_cut_led_to_the_target(x, provenance):
    with tf.GradientTape() as tape:
        tape.watch(x)
        index = tf.argmax(x)
        z = tf.round(x) * 2.0
        y = tf.one_hot(index, 2) * 3.0
    assert [c.text for c in tape.explain(y, x)[0].causes] == ["the path is cut: argmax is not differentiable"]
    assert [c.text for c in only(tape, z, x).causes] == ["the path is cut: round is not differentiable"]


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("between", [True, False])
def test_a_custom_gradient_that_gives_none(persistent, between):
    @tf.custom_gradient
    def first_only(a, b):
        return a * b, lambda g: (None, g)

    v = tf.Variable(1.0)
    with tf.GradientTape(persistent=persistent) as tape:
        y = first_only(v * 2.0 if between else v, tf.constant(2.0)) * 3.0
    assert tape.explain(y, v)[0].kind == "custom gradient", "asked before"
    report = only(tape, y, v)
    assert report.kind == "custom gradient" and "first_only" in report.reason
    with pytest.raises(ValueError, match="first_only gave None"), tf.GradientTape() as tape:
        tape.gradient(first_only(v * 2.0, 2.0), v, unconnected_gradients="error")


@pytest.mark.parametrize("persistent", [True, False])
def test_a_cut_inside_a_function(persistent):
    v = tf.Variable(1.0)

    @tf.function
    def frozen(a):
        return tf.stop_gradient(a * v) * 3.0

    with tf.GradientTape(persistent=persistent) as tape:
        y = frozen(v * 2.0)
    assert tape.explain(y, v)[0].kind == "stop_gradient", "asked before"
    report = only(tape, y, v)
    assert report.kind == "stop_gradient" and "test_explain.py" in report.where


def test_a_backward_function_that_fails_is_left_to_gradient():
    @tf.custom_gradient
    def broken(a):
        return a * 1.0, lambda g: 1 / 0

    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = broken(v)
    assert tape.explain(y, v).connected
    with pytest.raises(ZeroDivisionError):
        tape.gradient(y, v)


def test_reset(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
    report = only(tape, y, x)
    assert report.kind == "reset" and "tape.reset()" in text_at(report)


def test_variable_read_only_where_nothing_is_recorded(provenance):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            y = v * 2.0
        z = y * 3.0
    report = only(tape, z, v)
    assert report.kind == "stop_recording" and "y = v * 2.0" in text_at(report)


def test_gradient_taken_outside_of_the_outer_tape(provenance):
    v = tf.Variable(3.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = v * v
    slope = inner.gradient(y, v)
    report = only(outer, slope, v)
    assert report.kind == "target outside" and "slope = inner" in text_at(report)


def test_read_early_and_again_inside(provenance):
    v = tf.Variable(3.0)
    early = v * 2.0
    with tf.GradientTape() as tape:
        tf.identity(v)
        y = early * 2.0
    report = only(tape, y, v)
    assert report.kind == "read too early" and "early = v * 2.0" in text_at(report)


# ---- tapes in every state


def test_after_a_jacobian(x):
    z = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch([x, z])
        y = x * tf.stop_gradient(z)
    assert tape.jacobian(y, [x, z])[1] is None
    assert [r.kind for r in tape.explain(y, [x, z])] == ["connected", "stop_gradient"]


def test_a_spent_tape_does_not_answer_for_another_target():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y, z = v * 2.0, w * 3.0
    tape.gradient(y, v)
    assert tape.explain(y, v).connected and tape.explain(z, v)[0].kind == "not known"


def test_an_open_tape_records_nothing_of_it(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x * x, [0])
        assert tape.explain(y, x).connected
        before = len(tape._recording.records)
        tape.explain(y, x)
        assert len(tape._recording.records) == before
    assert tape.gradient(y, x).shape == (2,)


def test_what_is_no_tensor_is_refused(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
    for target, source in [(None, x), (3.0, x), (x, None), (x, 3.0), (np.ones(2), x)]:
        with pytest.raises(TypeError, match=r"(?i)target|source"):
            tape.explain(target, source)


def test_long_tapes_and_many_sources():
    sources = [tf.Variable(1.0) for _ in range(200)]
    last = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        for v in sources:
            tf.round(v)
        y = last * 1.0
        for _ in range(50_000):
            y = y * 1.0
    found = tape.explain(y, [last, *sources])  # for each source a way over the tape would be ten million steps
    assert found[0].connected and {r.kind for r in found[1:]} == {"not differentiable"}


def test_of_variables_that_share_a_name_the_place_is_said():
    v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="v")
    with tf.GradientTape() as tape:
        y = v * 2
    assert [r.name for r in tape.explain(y, [v, w])] == ["v (source[0])", "v (source[1])"]
