"""Lines, scopes and causes inside functions that a tape has recorded as calls, without anything switched on."""

import pytest

import tapeflow as tf
from tapeflow.inspect import keeping, summary
from tapeflow.inspect.inside import origins_here
from tapeflow.inspect.summary import entries_of
from tapeflow.tape.recording import remains

w = tf.Variable([1.0, 2.0], name="w")
unused = tf.Variable(1.0, name="unused")


def model(x):
    with tf.name_scope("first"):
        h = tf.sin(x * w)
    with tf.name_scope("second"):
        return tf.reduce_sum(h * h), h


def recorded(function, times=1):
    with tf.GradientTape(persistent=True) as tape:
        results = [function(tf.constant([1.0, 1.0])) for _ in range(times)]
        y = tf.exp(results[-1][0])
    return tape, y


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_call_is_what_is_inside(jit_compile):
    tape, _ = recorded(tf.function(model, jit_compile=jit_compile))
    found = [(e.operation, e.scope, e.source[:7], e.result) for e in entries_of(tape) if not e.is_source]
    assert found == [
        ("mul", "first", "h = tf.", "float32 (2,)"),
        ("sin", "first", "h = tf.", "float32 (2,)"),
        ("mul", "second", "return ", "float32 (2,)"),
        ("reduce_sum", "second", "return ", "float32 ()"),
        ("exp", "", "", ""),
    ]
    eager, _ = recorded(model)
    shape = lambda tape: [(e.operation, e.inputs) for e in entries_of(tape)]
    assert shape(tape) == shape(eager), "what comes from what is the same"
    assert "(outside functions)" in summary.text(tape) and "first" in summary.text(tape)


def test_every_call_counts_with_the_memory_of_its_own():
    function = tf.function(model)
    once, _ = recorded(function)
    twice, _ = recorded(function, 2)
    count = lambda tape: [e.operation for e in entries_of(tape)].count("sin")
    kept = lambda tape: sum(e.kept for e in entries_of(tape) if e.scope)
    assert (count(once), count(twice)) == (1, 2)
    assert kept(twice) == 2 * kept(once) > 0
    assert len({e.tensor for e in entries_of(twice)}) == len(entries_of(twice))


def test_results_that_are_arguments_or_have_no_path_inside():
    @tf.function
    def passing(x):
        return x, tf.stop_gradient(x) * 2.0, x

    with tf.GradientTape() as tape:
        a, b, c = passing(w)
        y = tf.reduce_sum(a * b * c)
    operations = [(e.operation, len(e.inputs)) for e in entries_of(tape)]
    assert operations[-3:] == [("mul", 2), ("mul", 2), ("reduce_sum", 1)]
    assert tape.gradient(y, w).numpy().tolist() == [4.0, 16.0]


@pytest.mark.parametrize("ask", ["explain", "error", "spent"])
def test_causes_are_named_with_the_lines_of_the_trace(ask):
    @tf.function
    def cutting(x):
        tf.identity(unused)
        return tf.reduce_sum(tf.round(w) + tf.stop_gradient(x)), unused * 0.5

    x = tf.Variable(3.0, name="x")
    with tf.GradientTape(persistent=ask != "spent") as tape:
        y, _ = cutting(x)
    sources = [w, x]
    if ask == "error":
        with pytest.raises(ValueError) as caught:
            tape.gradient(y, sources, unconnected_gradients="error")
        said = str(caught.value)
    else:
        if ask == "spent":
            assert tape.gradient(y, sources) == [None, None]
        said = str(tape.explain(y, sources))
    assert "round is not differentiable" in said and "stop_gradient()" in said
    assert said.count("test_inside.py:") == 2 and "Call tape.explain inside" not in said


def test_a_function_that_does_not_use_its_argument():
    @tf.function
    def forgetful(x):
        return 2.0 * w, tf.identity(x)

    x = tf.Variable([3.0, 3.0], name="x")
    with tf.GradientTape() as tape:
        y, z = forgetful(x)
    assert tape.explain(z, x)[0].connected
    report = tape.explain(y, x)[0]
    assert report.kind == "not used" and "function forgetful" in str(report)


def test_a_spent_tape_opens_its_calls_too(monkeypatch):
    monkeypatch.setattr(remains, "of", keeping.kept)
    with tf.GradientTape() as tape:
        y, _ = tf.function(model)(tf.constant([1.0, 1.0]))
    before = [e[2:] for e in entries_of(tape)]
    tape.gradient(y, w)
    assert [e[2:] for e in entries_of(tape)] == before


def test_a_tape_in_a_function_knows_lines():
    said = []

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            y, _ = model(x)
        tape.summary(print_fn=said.append)
        assert origins_here()
        return tape.gradient(y, w)

    step(tf.constant([1.0, 1.0]))
    assert "h = tf.sin(x * w)" in said[0] and "second" in said[0]
    assert origins_here() == {}


def test_the_report_has_the_lines():
    from tapeflow.inspect.report_data import data_of

    @tf.function
    def cutting(x):
        return model(x)[0] + tf.reduce_sum(tf.round(w))

    with tf.GradientTape() as tape:
        cutting(tf.constant([1.0, 1.0]))
    data = data_of(tape)
    assert data["lines"] and not data["seen"] and [tree["name"] for tree in data["trees"]] == ["layers", "lines"]
    assert [end["kind"] for end in data["ends"]] == ["not differentiable"]


def test_sources_have_the_names_that_explain_gives_them():
    """Two layers had two sources called `kernel`."""
    net = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)], name="net")
    with tf.GradientTape() as tape:
        y = tf.function(net)(tf.ones([3, 2]))
    watched = [e.watched for e in entries_of(tape) if e.is_source]
    assert sorted(watched) == sorted(report.name for report in tape.explain(y, net.trainable_variables))
    assert len(set(watched)) == 4 and all(name.startswith("net/") for name in watched)


def looping(x):
    with tf.name_scope("outer"):
        if tf.reduce_sum(x) > 0.0:
            with tf.name_scope("deep"):
                h = tf.sin(x * w)
        else:
            h = tf.square(x) * w
    for _ in tf.range(3):
        h = tf.tanh(h * w)
    return tf.reduce_sum(h), h


def test_branches_and_loops_are_what_is_in_them():
    """They were one box, and twice: once more for the version that keeps a history."""
    tape, y = recorded(tf.function(looping))
    found = [(e.operation, e.scope, e.source) for e in entries_of(tape) if not e.is_source]
    assert found == [
        ("mul", "outer/cond/false_fn", "h = tf.square(x) * w"),
        ("mul", "outer/cond/true_fn/deep", "h = tf.sin(x * w)"),
        ("sin", "outer/cond/true_fn/deep", "h = tf.sin(x * w)"),
        ("cond", "outer", "if tf.reduce_sum(x) > 0.0:"),
        ("mul", "while_loop/body", "h = tf.tanh(h * w)"),
        ("tanh", "while_loop/body", "h = tf.tanh(h * w)"),
        ("while_loop", "", "for _ in tf.range(3):"),
        ("reduce_sum", "", "return tf.reduce_sum(h), h"),
        ("exp", "", ""),
    ]
    entries = entries_of(tape)
    read = lambda e: [entries[i].operation for i in e.inputs]
    joins = {e.operation: read(e) for e in entries if e.operation in ("cond", "while_loop")}
    assert joins == {"cond": ["mul", "sin"], "while_loop": ["tanh"]}, "results of what is in them"
    assert sum(e.kept for e in entries if e.operation == "while_loop") >= 3 * 8, "the history of three iterations"
    tape.gradient(y, w)


def test_a_spent_tape_opens_loops_too(monkeypatch):
    monkeypatch.setattr(remains, "of", keeping.kept)
    with tf.GradientTape() as tape:
        y, _ = tf.function(looping)(tf.constant([1.0, 1.0]))
    before = [e[2:] for e in entries_of(tape)]
    tape.gradient(y, w)
    assert [e[2:] for e in entries_of(tape)] == before


def test_what_is_in_a_loop_that_a_tape_in_a_function_records():
    found = []

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            y, _ = looping(x)
        found.extend([(e.operation, e.scope) for e in entries_of(tape) if not e.is_source])
        return tape.gradient(y, w)

    step(tf.constant([1.0, 1.0]))
    assert ("tanh", "while_loop/body") in found and ("sin", "outer/cond/true_fn/deep") in found


def test_the_rows_of_a_map_and_the_steps_of_a_scan():
    @tf.function
    def function(x):
        steps = tf.scan(lambda a, e: tf.tanh(a * w + e), x)
        return tf.reduce_sum(steps) + tf.reduce_sum(tf.map_fn(lambda row: tf.sin(row * w), x)), x

    with tf.GradientTape() as tape:
        function(tf.ones([3, 2]))
    scopes = {e.operation: e.scope for e in entries_of(tape)}
    assert (scopes["tanh"], scopes["sin"]) == ("scan/body", "map_fn/body")


@pytest.mark.parametrize("ask", ["explain", "error", "spent", "report"])
def test_causes_in_branches_in_branches_are_named_with_their_lines(ask):
    """The reason was: the custom gradient of cond gave None, return a tensor for every argument."""
    x = tf.Variable([3.0, 3.0], name="x")

    @tf.function
    def cutting(y):
        h = y * w
        if tf.reduce_sum(y) > 0.0:
            if tf.reduce_sum(y) > 1.0:
                h = h + tf.round(x)
            else:
                h = h * 2.0
        else:
            h = h + tf.stop_gradient(x)
        return tf.reduce_sum(h)

    with tf.GradientTape(persistent=ask != "spent") as tape:
        y = cutting(tf.constant([1.0, 1.0]))
    if ask == "error":
        with pytest.raises(ValueError) as caught:
            tape.gradient(y, [w, x], unconnected_gradients="error")
        said = str(caught.value)
    elif ask == "report":
        from tapeflow.inspect.report_data import data_of

        ends = data_of(tape)["ends"]
        assert [end["count"] for end in ends] == [1, 1]
        said = " ".join(f"{end['text']} {end['where']}" for end in ends)
    else:
        if ask == "spent":
            assert tape.gradient(y, [w, x])[1] is None
        assert [report.connected for report in tape.explain(y, [w, x])] == [True, False]
        said = str(tape.explain(y, x))
    assert "round is not differentiable" in said and "stop_gradient()" in said
    assert said.count("test_inside.py:") == 2


def test_a_variable_that_no_branch_uses_for_the_result():
    x = tf.Variable([3.0, 3.0], name="x")

    @tf.function
    def function(y):
        a, b = tf.cond(tf.reduce_sum(y) > 0.0, lambda: (y * w, y * x), lambda: (y * w, y + x))
        return a, b

    with tf.GradientTape() as tape:
        a, _ = function(tf.constant([1.0, 1.0]))
    report = tape.explain(a, x)[0]
    assert report.kind == "not used" and "function function" in str(report)
