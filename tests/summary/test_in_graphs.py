"""Summaries inside `tf.function`, and of graphs."""

import pytest

import tapeflow as tf

from .reading import read, tags, values


@pytest.fixture
def writer(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    yield writer
    writer.close()


def test_every_run_writes(writer, tmp_path):
    @tf.function
    def f(x, step):
        done = tf.summary.scalar("x", x, step=step)
        tf.summary.histogram("h", tf.stack([x, 2 * x]), step=step, buckets=2)
        tf.summary.image("i", tf.fill([1, 2, 2, 1], x / 9), step=step)
        tf.summary.text("t", tf.strings.as_string(step), step=step)
        return done

    with writer.as_default():
        done = [f(tf.constant(float(k)), tf.constant(k, tf.int64)) for k in range(3)]
    assert all(done) and f.experimental_get_tracing_count() == 1
    assert values(tmp_path, "x") == {0: 0, 1: 1, 2: 2}
    assert values(tmp_path, "h")[2].tolist() == [[2, 3, 1], [3, 4, 1]]
    assert values(tmp_path, "t")[2].item() == b"2"
    assert values(tmp_path, "i")[1].shape == (3,)


def test_a_step_that_is_a_variable_and_a_writer_inside(writer, tmp_path):
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(x):
        with writer.as_default(step=step):
            tf.summary.scalar("before", x)
            step.assign_add(1)
            tf.summary.scalar("after", x)

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert values(tmp_path, "before") == {0: 1, 1: 2}
    assert values(tmp_path, "after") == {1: 1, 2: 2}


def test_in_loops_and_branches(writer, tmp_path):
    @tf.function
    def f(n):
        for k in tf.range(n):
            tf.summary.scalar("loop", tf.cast(k, tf.float32), step=tf.cast(k, tf.int64))
            if k % 2 == 0:
                tf.summary.scalar("even", k, step=tf.cast(k, tf.int64))

    with writer.as_default():
        f(tf.constant(4))
    assert list(values(tmp_path, "loop")) == [0, 1, 2, 3]
    assert list(values(tmp_path, "even")) == [0, 2]


def test_a_condition_that_the_graph_computes(writer, tmp_path):
    @tf.function
    def f(k):
        with tf.summary.record_if(k % 3 == 0):
            return tf.summary.scalar("x", k, step=k)

    with writer.as_default():
        done = [bool(f(tf.constant(k, tf.int64))) for k in range(7)]
    assert done == [k % 3 == 0 for k in range(7)]
    assert list(values(tmp_path, "x")) == [0, 3, 6]


def test_no_writer_when_it_was_traced(writer, tmp_path):
    f = tf.function(lambda x: tf.summary.scalar("x", x, step=0))
    assert not f(tf.constant(1.0))
    with writer.as_default():
        assert not f(tf.constant(2.0))  # as TensorFlow: the writer is that of the trace
    with pytest.raises(ValueError, match="No step set"), writer.as_default():
        tf.function(lambda x: tf.summary.scalar("x", x))(tf.constant(1.0))
    assert tags(tmp_path) == set()


def test_gradients_go_past_summaries(writer, tmp_path):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tf.summary.scalar("y", y, step=0)
        return tape.gradient(y, x)

    with writer.as_default():
        assert f(tf.constant(3.0)).numpy() == 6
    assert values(tmp_path, "y") == {0: 9}


# ---- graphs


@tf.function
def sines(x):
    return tf.reduce_sum(tf.sin(x) * 2.0)


def test_graph(writer, tmp_path):
    with writer.as_default():
        assert bool(tf.summary.graph(sines.get_concrete_function(tf.TensorSpec([3])).graph))
        with pytest.raises(ValueError, match="graph_data=3 of type int"):
            tf.summary.graph(3)
    writer.flush()
    nodes = {node.name: node for node in read(tmp_path).Graph().node}
    assert nodes["sin"].input == ["x"] and nodes["x"].op == "Placeholder"
    assert [d.size for d in nodes["sin"].attr["_output_shapes"].list.shape[0].dim] == [3]


def test_trace_export_has_the_functions_that_ran(writer, tmp_path):
    from tensorboard.compat.proto.config_pb2 import RunMetadata

    tf.summary.trace_on(graph=True)
    sines(tf.ones([4]))
    sines(tf.ones([4]))
    with writer.as_default():
        tf.summary.trace_export("mine", step=5)
    sines(tf.ones([5]))  # no longer traced
    found = values(tmp_path, "mine")[5].item()
    [graphs] = RunMetadata.FromString(found).function_graphs
    assert "sines/sin" in [node.name for node in graphs.pre_optimization_graph.node]
    assert read(tmp_path).SummaryMetadata("mine").plugin_data.plugin_name == "graph_run_metadata_graph"
    with pytest.raises(ValueError, match=r"tf\.summary\.trace_on"):
        tf.summary.trace_export("again", step=5)


def test_trace_off_forgets(caplog):
    tf.summary.trace_on()
    tf.summary.trace_on()
    assert "already enabled" in caplog.text
    tf.summary.trace_off()
    with pytest.raises(ValueError, match="trace_on"):
        tf.summary.trace_export("x", step=0)
