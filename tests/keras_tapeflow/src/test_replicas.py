"""Keras under a strategy: the numbers are those of one replica."""

import numpy as np
import pytest

import tapeflow as tf
from tests.distribute.cpus import each, four_cpus, mirrored, numbers  # noqa: F401
from tests.rounding import close

K = tf.keras


def made(strategy, optimizer=None, metrics=(), layers=(), **how):
    K.utils.set_random_seed(1)
    with strategy.scope():
        dense = K.layers.Dense(3, activation="tanh", kernel_regularizer=K.regularizers.L2(0.1))
        model = K.Sequential([K.Input((2,)), dense, *layers, K.layers.Dense(1)])
        model.compile(optimizer or K.optimizers.Adam(0.05), "mse", metrics=list(metrics), **how)
    return model


def data(size=10):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(size, 2)).astype("float32")
    return x, (x.sum(1, keepdims=True) * 2).astype("float32")


def trained(count, batch_size=4, **how):
    """Losses, metrics and predictions after two epochs; the last batch is one that replicas do not divide."""
    strategy = mirrored(count) if count > 1 else tf.distribute.get_strategy()
    model = made(strategy, metrics=["mae"], **how)
    x, y = data()
    history = model.fit(x, y, batch_size=batch_size, epochs=2, verbose=0, shuffle=False).history
    found = [*history["loss"], *history["mae"], *model.evaluate(x, y, batch_size=4, verbose=0)]
    return (
        np.array(found, "float32"),
        model.predict(x, batch_size=4, verbose=0),
        int(model.optimizer.iterations.numpy()),
    )


@pytest.mark.parametrize("how", [{}, {"run_eagerly": True}, {"jit_compile": True}], ids=str)
@pytest.mark.parametrize("batch_size", [4, 5])
def test_fit_evaluate_and_predict(how, batch_size):
    alone = trained(1, batch_size, **how)
    for count in (2, 4) if how == {} else (2,):
        for a, b in zip(alone, trained(count, batch_size, **how), strict=True):
            close(a, b, terms=1000)


def test_sums_are_not_scaled():
    alone, both = [made(s, K.optimizers.SGD(0.01)) for s in (tf.distribute.get_strategy(), mirrored())]
    x, y = data(8)
    for model in (alone, both):
        model.compile(K.optimizers.SGD(0.01), K.losses.MeanSquaredError(reduction="sum"))
    close(*[np.float32(m.fit(x, y, batch_size=8, verbose=0).history["loss"]) for m in (alone, both)], terms=1000)


def test_what_was_made_outside_is_taken_in():
    x, y = data(8)
    K.utils.set_random_seed(1)
    model = K.Sequential([K.Input((2,)), K.layers.Dense(1)])
    model.compile(K.optimizers.SGD(0.1, momentum=0.5), "mse")
    strategy = mirrored()
    with strategy.scope():
        model.fit(x, y, batch_size=4, verbose=0)
    assert int(model.optimizer.iterations.numpy()) == 2
    assert type(model.layers[0].kernel.value).__name__ == "MirroredVariable"
    assert type(model.metrics[0].variables[0].value).__name__ == "SyncOnReadVariable"


def test_sample_weights_and_callbacks():
    x, y = data(8)
    weights, losses, seen = np.arange(8, dtype="float32"), [], []
    for strategy in (tf.distribute.get_strategy(), mirrored()):
        model = made(strategy)
        told = K.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append((batch, logs["loss"])))
        losses += model.fit(
            x, y, sample_weight=weights, batch_size=4, verbose=0, shuffle=False, callbacks=[told]
        ).history["loss"]
    close(np.float32(losses[0]), np.float32(losses[1]), terms=1000)
    assert [batch for batch, _ in seen] == [0, 1, 0, 1]
    close(np.float32([v for _, v in seen[:2]]), np.float32([v for _, v in seen[2:]]), terms=1000)


def test_statistics_of_batches():
    x = np.array([[0.0], [2.0], [10.0], [14.0]], "float32")
    for synchronized, mean, variance in ((False, 6.5, 2.5), (True, 6.5, 32.75)):
        with mirrored().scope():
            layer = K.layers.BatchNormalization(momentum=0.0, synchronized=synchronized)
            model = K.Sequential([K.Input((1,)), layer])
            model.compile("sgd", "mse")
        model.fit(x, x, batch_size=4, verbose=0, shuffle=False)
        close(layer.moving_mean.numpy(), np.float32([mean]), terms=4)
        close(layer.moving_variance.numpy(), np.float32([variance]), terms=4)
        assert K.layers.BatchNormalization.from_config(layer.get_config()).synchronized is synchronized


def test_masks_are_each_replicas_own():
    strategy = mirrored()
    with strategy.scope():
        dropout = K.layers.Dropout(0.5, seed=1)
    a, b = numbers(strategy.run(lambda: dropout(tf.ones([64]), training=True)))
    assert a != b
    assert a == K.layers.Dropout(0.5, seed=1)(tf.ones([64]), training=True).numpy().tolist()  # as one alone


def test_replicas_find_the_policy_of_dtypes():
    strategy, before = mirrored(), K.mixed_precision.dtype_policy()
    K.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        names = strategy.run(lambda: K.layers.Dense(1).compute_dtype)
    finally:
        K.mixed_precision.set_dtype_policy(before)
    assert names == "bfloat16"


def test_gradients_are_clipped_before_they_are_added():
    strategy = mirrored()
    with strategy.scope():
        v, optimizer = tf.Variable(10.0), K.optimizers.SGD(1.0, global_clipnorm=1.0)
    step = tf.function(lambda x: strategy.run(lambda g: optimizer.apply_gradients([(g, v)]), args=(x,)))
    step(each(strategy, 3.0, 4.0))
    assert float(v) == 8.0 and int(optimizer.iterations.numpy()) == 1


def test_metrics_are_added_up_when_they_are_read():
    strategy = mirrored()
    with strategy.scope():
        mean = K.metrics.Mean()
    strategy.run(lambda x: mean.update_state(x), args=(each(strategy, [1.0, 2.0], [3.0, 6.0]),))
    assert float(mean.result()) == 3.0 and numbers(strategy.run(mean.result)) == [1.5, 4.5]
    mean.reset_state()
    mean.update_state([1.0, 2.0])
    assert float(mean.result()) == 1.5
