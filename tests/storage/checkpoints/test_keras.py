"""Keras models, optimizers and metrics in a checkpoint, also before they are built."""

import gc

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
X = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
Y = np.random.default_rng(1).normal(size=(16, 2)).astype(np.float32)


class Block(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense, self.norm = keras.layers.Dense(units), keras.layers.BatchNormalization()

    def call(self, x):
        return self.norm(self.dense(x))


class Net(keras.Model):
    """Parts in attributes, in a list, in a dict with numbers as keys, and a weight of its own."""

    def __init__(self):
        super().__init__()
        self.first, self.rest, self.heads = Block(4), [Block(3), Block(3)], {2: keras.layers.Dense(2)}
        self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    def call(self, x):
        x = self.first(x)
        for block in self.rest:
            x = block(x)
        return self.heads[2](x) * self.scale


def sequential():
    return keras.Sequential(
        [keras.layers.Dense(4, activation="relu"), keras.layers.Dropout(0.1), keras.layers.Dense(2)]
    )


def functional():
    inputs = keras.Input((3,))
    return keras.Model(
        inputs, keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2)])(keras.layers.Dense(4)(inputs))
    )


def step(model, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(X) - Y) ** 2)
    optimizer.apply_gradients(
        zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
    )
    return float(loss)


@pytest.mark.parametrize("make", [sequential, functional, Net])
def test_training_goes_on_as_if_it_had_not_been_interrupted(tmp_path, make):
    model, optimizer = make(), keras.optimizers.Adam(0.05)
    for _ in range(2):
        step(model, optimizer)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ck")
    expected = [step(model, optimizer) for _ in range(2)]
    for built in (True, False):
        again, its_optimizer = make(), keras.optimizers.Adam(0.9)
        if built:
            again(X)
            its_optimizer.build(again.trainable_variables)
        status = tf.train.Checkpoint(model=again, optimizer=its_optimizer).restore(path)
        np.testing.assert_allclose([step(again, its_optimizer) for _ in range(2)], expected, rtol=1e-5)
        status.assert_consumed()


@pytest.mark.parametrize("jit", [False, True])
def test_fit_goes_on(tmp_path, jit):
    """A compiled model as the root; its optimizer's slots are made inside the first step, while it is traced."""

    def make():
        model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(2)])
        model.compile("adam", "mse", metrics=["mae"], jit_compile=jit)
        return model

    fit = lambda model: model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0).history["loss"]
    model = make()
    fit(model)
    path = tf.train.Checkpoint(model).save(tmp_path / "ck")
    expected = fit(model)
    again = make()
    tf.train.Checkpoint(again).restore(path)  # neither it nor its status is kept
    gc.collect()
    np.testing.assert_allclose(fit(again), expected, rtol=1e-5)


def test_names_are_those_of_attributes(tmp_path):
    model, optimizer = Net(), keras.optimizers.SGD(0.1, momentum=0.9)
    step(model, optimizer)
    keys = dict(tf.train.list_variables(tf.train.Checkpoint(model=model, optimizer=optimizer).write(tmp_path / "ck")))
    value = "/.ATTRIBUTES/VARIABLE_VALUE"
    assert keys["model/rest/1/dense/_kernel" + value] == [3, 3]
    assert keys["model/heads/2/bias" + value] == [2]
    assert keys["optimizer/_iterations" + value] == []
    assert keys["optimizer/momentums/0" + value] == []
    assert len(keys) == len(model.variables) + len(optimizer.variables)


def test_a_layer_that_was_built_before_it_is_attached(tmp_path):
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
    holder = keras.layers.Layer()
    holder.part = model
    path = tf.train.Checkpoint(holder=holder).write(tmp_path / "ck")
    other = keras.layers.Layer()
    status = tf.train.Checkpoint(holder=other).read(path)
    part = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
    part(X)
    other.part = part
    np.testing.assert_array_equal(part.get_weights()[0], model.get_weights()[0])
    status.assert_consumed()


def test_weights_that_no_attribute_holds(tmp_path):
    """TensorFlow loses them, in silence."""

    class Hidden(keras.layers.Layer):
        def build(self, shape):
            kept = [self.add_weight(shape=(shape[-1],), initializer="random_normal") for _ in range(2)]
            self.product = lambda x: x * kept[0] * kept[1]

        def call(self, x):
            return self.product(x)

    layer, other = Hidden(), Hidden()
    expected = layer(X)
    path = tf.train.Checkpoint(layer=layer).write(tmp_path / "ck")
    status = tf.train.Checkpoint(layer=other).read(path)
    np.testing.assert_array_equal(other(X).numpy(), expected.numpy())
    status.assert_consumed()


def test_metrics_that_are_given(tmp_path):
    metric = keras.metrics.Mean()
    metric.update_state([1.0, 2.0, 6.0])
    path = tf.train.Checkpoint(metric=metric).write(tmp_path / "ck")
    other = keras.metrics.Mean()
    tf.train.Checkpoint(metric=other).read(path).assert_consumed()
    assert float(other.result()) == 3.0


def test_a_different_architecture_is_named(tmp_path):
    make = lambda units: keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(units)])
    path = tf.train.Checkpoint(model=make(2)).write(tmp_path / "ck")
    with pytest.raises(
        ValueError, match=r"shape \(3, 2\).*shape \(3, 5\).*\(root\).model._functional._operations.1._kernel"
    ):
        tf.train.Checkpoint(model=make(5)).read(path)


def test_saving_from_a_callback(tmp_path):
    model = sequential()
    model.compile("sgd", "mse")
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), tmp_path, max_to_keep=2)

    class Save(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            manager.save()

    model.fit(X, Y, epochs=3, verbose=0, callbacks=[Save()])
    other = sequential()
    other.build((None, 3))
    tf.train.Checkpoint(model=other).restore(manager.latest_checkpoint).expect_partial()
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
