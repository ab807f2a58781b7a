"""`tf.compat.v1`: version 1's names of arguments, losses, optimizers. The numbers are TensorFlow 2.21's."""

import logging

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1
X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
Y = tf.constant([[1.5, 2.0, 0.0], [4.0, 7.0, 6.0]])
ROWS = tf.constant([[1.0], [0.0]])
LABELS = tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])


def test_old_names_of_arguments():
    assert v1.reduce_sum(X, 1, keep_dims=True).numpy().tolist() == [[6.0], [15.0]]
    assert v1.reduce_mean(X, reduction_indices=[0]).numpy().tolist() == [2.5, 3.5, 4.5]
    assert v1.math.reduce_max(X, keep_dims=True).shape == (1, 1)
    assert v1.reduce_all(X > 0).numpy() and v1.argmax(X, dimension=1).numpy().tolist() == [2, 2]
    assert v1.expand_dims(X, dim=1).shape == (2, 1, 3) and v1.squeeze(X[None], squeeze_dims=[0]).shape == (2, 3)
    assert v1.size(X, "name").dtype is tf.int32 and v1.shape(X, out_type=tf.int64).dtype is tf.int64
    assert v1.norm(X, axis=1, keep_dims=True).shape == v1.linalg.norm(X, axis=1, keep_dims=True).shape == (2, 1)
    assert v1.nn.softmax(X, dim=0).numpy()[0].tolist() == pytest.approx([0.0474] * 3, abs=1e-4)
    for call in (
        lambda: v1.reduce_sum(X, axis=0, reduction_indices=[0]),
        lambda: v1.reduce_sum(X, keep_dims=True, keepdims=True),
        lambda: v1.argmax(X, axis=0, dimension=0),
        lambda: v1.nn.dropout(X, keep_prob=0.5, rate=0.5),
    ):
        with pytest.raises(ValueError, match="Cannot specify both"):
            call()
    with pytest.raises(ValueError, match="Must specify an axis"):
        v1.expand_dims(X)
    with pytest.raises(ValueError, match="must provide a rate"):
        v1.nn.dropout(X)


def test_where_chooses_rows_and_does_not_broadcast():
    assert v1.where([True, False], X, Y).numpy().tolist() == [[1.0, 2.0, 3.0], [4.0, 7.0, 6.0]]
    assert v1.where(X > 5).numpy().tolist() == [[1, 2]]
    for wrong in (lambda: v1.where([True, False, True], X, Y), lambda: v1.where(X > 2, X, 0.0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.where broadcasts"):
            wrong()


def test_control_flow_gives_single_values_bare():
    assert v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0]).numpy() == 3
    assert v1.while_loop(lambda i: i < 3, lambda i: (i + 1,), [0], return_same_structure=True)[0].numpy() == 3
    assert v1.cond(tf.constant(False), fn1=lambda: [tf.constant(1)], fn2=lambda: [tf.constant(2)]).numpy() == 2
    assert isinstance(
        v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)], strict=True), list
    )


def test_names_that_have_moved():
    assert v1.log(1.0).numpy() == 0.0 and v1.matrix_inverse([[2.0]]).numpy() == 0.5 and v1.mod(-7, 3).numpy() == 2
    assert v1.div(-7, 2).numpy() == -4 and v1.div(7.0, 2.0).numpy() == 3.5 and v1.to_float(3).dtype is tf.float32
    assert v1.diag([1.0, 2.0]).shape == (2, 2) and v1.random_uniform([3]).shape == (3,)
    assert (
        v1.float32 is tf.float32
        and v1.GradientTape is tf.GradientTape
        and v1.function is tf.function
        and v1.reshape is tf.reshape
    )
    assert v1.math.log is tf.math.log and v1.nn.relu is tf.nn.relu and v1.train.Checkpoint is tf.train.Checkpoint
    assert v1.random.set_random_seed is tf.random.set_seed
    with pytest.raises(AttributeError, match="nonsense"):
        _ = v1.nn.nonsense


@pytest.mark.parametrize(
    "name, plain, weighted, none",
    [
        ("absolute_difference", 0.9166667, 1.1666666, [0.5, 0.0, 3.0, 0.0, 2.0, 0.0]),
        ("mean_squared_error", 2.2083333, 3.0833333, [0.25, 0.0, 9.0, 0.0, 4.0, 0.0]),
        ("huber_loss", 0.6875, 0.875, [0.125, 0.0, 2.5, 0.0, 1.5, 0.0]),
    ],
)
def test_losses_and_reductions(name, plain, weighted, none):
    loss, reduction = getattr(v1.losses, name), v1.losses.Reduction
    assert loss(X, Y).numpy() == pytest.approx(plain)
    assert loss(X, Y, weights=ROWS).numpy() == pytest.approx(weighted)
    assert loss(X, Y, reduction=reduction.NONE).numpy().ravel().tolist() == none
    assert loss(X, Y, ROWS, reduction=reduction.SUM).numpy() == pytest.approx(3 * weighted)
    assert loss(X, Y, ROWS, reduction=reduction.MEAN).numpy() == pytest.approx(weighted)
    assert loss(X, Y, ROWS, reduction=reduction.SUM_OVER_BATCH_SIZE).numpy() == pytest.approx(weighted / 2)
    assert loss(X, Y, weights=0.0).numpy() == 0.0
    with pytest.raises(ValueError, match="Invalid Reduction Key"):
        loss(X, Y, reduction="average")
    with pytest.raises(ValueError, match="incompatible"):
        loss(X, Y[:, :2])
    with pytest.raises(ValueError, match="weights can not be broadcast"):
        loss(X, Y, weights=tf.ones([3]))


def test_other_losses():
    assert v1.losses.softmax_cross_entropy(LABELS, X, tf.constant([1.0, 2.0]), 0.2).numpy() == pytest.approx(
        2.91141, abs=1e-5
    )
    assert v1.losses.sigmoid_cross_entropy(LABELS, X, label_smoothing=0.1).numpy() == pytest.approx(2.51102, abs=1e-5)
    assert v1.losses.sparse_softmax_cross_entropy([[1], [0]], X, weights=[1.0, 0.0]).numpy() == pytest.approx(
        1.40761, abs=1e-5
    )
    assert v1.losses.mean_pairwise_squared_error(X, Y).numpy() == pytest.approx(4.616667)
    assert v1.losses.get_losses() == []


def _trained(make, steps=4):
    a, b, count = tf.Variable([1.0, -2.0]), tf.Variable(3.0), tf.Variable(0, dtype=tf.int64)
    optimizer = make()
    for _ in range(steps):
        optimizer.minimize(lambda: tf.reduce_sum(a * a * b) + b, global_step=count, var_list=[a, b])
    assert count.numpy() == steps
    return [*a.numpy().tolist(), float(b)]


@pytest.mark.parametrize(
    "name, arguments, want",
    [
        ("GradientDescentOptimizer", (0.1,), [0.06711, -0.13423, 1.99168]),
        ("MomentumOptimizer", (0.05, 0.9), [-0.60661, 1.21322, 1.31541]),
        ("AdamOptimizer", (0.1,), [0.60562, -1.6028, 2.60347]),
        ("AdagradOptimizer", (0.1,), [0.7409, -1.73311, 2.7354]),
        ("RMSPropOptimizer", (0.1, 0.9, 0.5), [0.02065, -0.79623, 1.89179]),
        ("AdadeltaOptimizer", (1.0,), [0.99818, -1.99818, 2.99818]),
        ("FtrlOptimizer", (0.1,), [0.6971, -1.68659, 2.58132]),
    ],
)
def test_optimizers_step_as_in_tensorflow(name, arguments, want):
    assert _trained(lambda: getattr(v1.train, name)(*arguments)) == pytest.approx(want, abs=1e-4)


def test_gradients_and_their_absence():
    v = tf.Variable(2.0)
    optimizer = v1.train.GradientDescentOptimizer(lambda: 0.5)
    [(gradient, variable)] = optimizer.compute_gradients(lambda: v * v)
    assert gradient.numpy() == 4.0 and variable is v
    optimizer.apply_gradients([(gradient, v)])
    assert v.numpy() == 0.0
    with pytest.raises(RuntimeError, match="should be a function"):
        optimizer.compute_gradients(tf.constant(1.0))
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, v)])


def test_learning_rates():
    step = tf.Variable(5)
    rates = {
        "exponential": (v1.train.exponential_decay(0.1, step, 4, 0.5), 0.04204482),
        "staircase": (v1.train.exponential_decay(0.1, step, 4, 0.5, True), 0.05),
        "polynomial": (v1.train.polynomial_decay(0.1, step, 10, 0.01, 2.0), 0.0325),
        "cycle": (v1.train.polynomial_decay(0.1, step, 4, 0.01, cycle=True), 0.04375),
        "pieces": (v1.train.piecewise_constant(step, [4, 6], [1.0, 2.0, 3.0]), 2.0),
        "cosine": (v1.train.cosine_decay(0.1, step, 10, 0.1), 0.055),
    }
    assert {name: rate().numpy() for name, (rate, _) in rates.items()} == pytest.approx(
        {n: want for n, (_, want) in rates.items()}
    )


def test_variables_by_name():
    assert v1.get_variable("w", [2, 3]).shape == (2, 3) and v1.get_variable("w", [2], tf.int32).numpy().tolist() == [
        0,
        0,
    ]
    assert v1.get_variable("c", initializer=tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
    assert not v1.get_variable("n", [1], initializer=v1.constant_initializer(3.0), trainable=False).trainable
    with v1.variable_scope("outer"), v1.variable_scope("inner", reuse=v1.AUTO_REUSE) as scope:
        assert v1.get_variable("w", [1]).name == "outer/inner/w:0" and scope.name == "outer/inner"
    with pytest.raises(ValueError, match="must be fully defined"):
        v1.get_variable("shapeless")
    v = tf.Variable([1.0, 2.0])
    assert v1.scatter_update(v, [0], [9.0]).numpy().tolist() == [9.0, 2.0]
    assert v1.trainable_variables() == v1.global_variables() == []


def test_what_needs_graphs_says_so():
    for call in (lambda: v1.placeholder(tf.float32), lambda: v1.get_collection("x"), lambda: v1.train.Saver()):
        with pytest.raises(RuntimeError, match="builds a graph of TensorFlow 1"):
            call()
    with pytest.raises(RuntimeError, match=r"tf.function makes graphs"):
        v1.disable_eager_execution()
    for namespace in ("layers", "summary", "estimator", "metrics"):
        with pytest.raises(AttributeError, match=f"no tf.compat.v1.{namespace}.*Use tf."):
            getattr(v1, namespace)


def test_log_files_and_flags(tmp_path, caplog):
    level = v1.logging.get_verbosity()
    try:
        v1.logging.set_verbosity(v1.logging.INFO)
        with caplog.at_level(logging.INFO, logger="tapeflow"):
            v1.logging.info("step %d", 3)
            v1.logging.log_first_n(v1.logging.ERROR, "once", 1)
            v1.logging.log_first_n(v1.logging.ERROR, "once", 1)
        assert [record.getMessage() for record in caplog.records] == ["step 3", "once"]
    finally:
        v1.logging.set_verbosity(level)
    assert v1.gfile.Exists(str(tmp_path)) and v1.gfile.ListDirectory(str(tmp_path)) == []
    assert v1.flags is v1.app.flags and callable(v1.flags.DEFINE_string)
    config = v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True), allow_soft_placement=True)
    config.graph_options.optimizer_options.global_jit_level = 1
    assert config.gpu_options.allow_growth and config.allow_soft_placement


def test_assertions_and_prints(capfd):
    v1.assert_equal(X, X, [X], 3, "same")
    v1.assert_rank(X, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="differ"):
        v1.assert_less(X, X, message="differ")
    with pytest.raises(tf.errors.InvalidArgumentError):
        v1.verify_tensor_all_finite(X / 0.0, "bad")
    assert v1.Print(X, [X[0]], "row: ") is X and "row: [1 2 3]" in capfd.readouterr().err
    assert np.array_equal(v1.py_func(lambda a: [a + 1, a], [X], [tf.float32, tf.float32])[0], X + 1)


def test_lite_and_estimators_say_what_to_do():
    with pytest.raises(NotImplementedError, match=r"Save the model with model.save"):
        tf.lite.TFLiteConverter.from_keras_model(None)
    with pytest.raises(NotImplementedError, match="ai_edge_litert"):
        tf.lite.Interpreter(model_path="model.tflite")
    with pytest.raises(AttributeError, match=r"tf.keras"):
        _ = tf.estimator.LinearClassifier


def test_event_files_are_read_back(tmp_path):
    pytest.importorskip("tensorboardX")
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        for step in range(3):
            tf.summary.scalar("loss", 0.5 * step, step=step)
    writer.close()
    [path] = tmp_path.iterdir()
    first, *events = tf.compat.v1.train.summary_iterator(str(path))
    assert first.file_version == "brain.Event:2"
    assert [(event.step, [value.tag for value in event.summary.value]) for event in events] == [
        (step, ["loss"]) for step in range(3)
    ]
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(tf.errors.DataLossError):
        list(tf.compat.v1.train.summary_iterator(str(path)))


def test_iterators_of_version_1():
    ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [[1.0], [2.0]]})
    v1 = tf.compat.v1.data
    it = v1.make_one_shot_iterator(ds)
    assert int(it.get_next()["a"]) == 1 and float(it.get_next()["b"][0]) == 2.0
    with pytest.raises(tf.errors.OutOfRangeError):
        it.get_next()
    for of in (ds, it):
        assert v1.get_output_types(of) == {"a": tf.int32, "b": tf.float32}
        assert v1.get_output_shapes(of) == {"a": tf.TensorShape([]), "b": tf.TensorShape([1])}
        assert v1.get_output_classes(of) == {"a": tf.Tensor, "b": tf.Tensor}
    with pytest.raises(RuntimeError, match="eager mode"):
        v1.make_initializable_iterator(ds)
    assert v1.Dataset is tf.data.Dataset and v1.experimental is tf.data.experimental and v1.AUTOTUNE == -1


def test_sizes_of_version_1_are_compared():
    known, unknown = tf.compat.v1.Dimension(3), tf.compat.v1.Dimension(None)
    assert known.is_compatible_with(unknown) and not known.is_compatible_with(4)
    assert unknown.merge_with(known).value == 3 and known.merge_with(None).value == 3
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        known.merge_with(4)
    with pytest.raises(TypeError):
        tf.compat.v1.Dimension("x")


def test_the_scope_that_is_open_may_be_opened_again():
    with v1.variable_scope(v1.get_variable_scope()) as scope:
        assert scope.name == "" and scope.caching_device is None
        scope.set_caching_device("/CPU:0")
        assert scope.caching_device == "/CPU:0"
    with pytest.raises(ValueError, match="name_or_scope is required"), v1.variable_scope(None):
        pass
