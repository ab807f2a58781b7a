"""`keras.distribution`: on one device everything is as without; on eight, values are spread and the numbers stay."""

import os
import tempfile

import keras
import numpy as np
import pytest

import tapeflow as tf
from keras_tapeflow.src import distribution_lib
from tests.keras_tapeflow.installing.test_keras_own_tests import keras_tests
from tests.several_devices import on_eight_devices

FOUR = [f"cpu:{k}" for k in range(4)]


def test_devices():
    assert keras.distribution.list_devices("cpu")[0] == "cpu:0"
    assert keras.distribution.get_device_count("cpu") >= 1
    assert keras.distribution.list_devices() != []
    with pytest.raises(RuntimeError, match="Available backends are"):
        keras.distribution.list_devices("tpu")


def test_one_device_is_as_good_as_no_distribution():
    distribution = keras.distribution.DataParallel(devices=["cpu:0"])
    model = keras.Sequential([keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    with distribution.scope():
        model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    assert not model.variables[0].value.is_on_device
    layout = keras.distribution.TensorLayout([None], distribution.device_mesh)
    assert keras.distribution.distribute_tensor(model.variables[1], layout) is model.variables[1]
    assert layout.backend_layout is layout and distribution.device_mesh.backend_mesh is distribution.device_mesh


def grid():
    return keras.distribution.DeviceMesh((2, 4), ["batch", "model"])


def by_model(**axes):
    layouts = keras.distribution.LayoutMap(grid())
    for name, each in (axes or {".*dense.*kernel": (None, "model")}).items():
        layouts[name] = each
    return keras.distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def data(rows=20):
    rng = np.random.default_rng(3)
    return rng.normal(size=(rows, 8)).astype("float32"), rng.normal(size=(rows, 4)).astype("float32")


def network():
    keras.utils.set_random_seed(5)
    layers = [keras.layers.Dense(16, "tanh", name="dense_a"), keras.layers.Dropout(0.2)]
    layers += [keras.layers.BatchNormalization(), keras.layers.Dense(4, name="dense_b")]
    model = keras.Sequential([keras.Input((8,)), *layers])
    model.compile("adam", "mse", metrics=["mae"])
    return model


def history(**more):
    model, (x, y) = network(), data()
    found = model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False, validation_data=(x, y), **more).history
    weights, tested = model.get_weights(), model.evaluate(x, y, batch_size=8, verbose=0)
    return found, weights, tested, model.predict(x, batch_size=8, verbose=0)


def same(got, want):
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


def check_history(*distributions):
    want = history()
    for distribution in distributions:
        with distribution.scope():
            same(history(), want)


@on_eight_devices
def test_fit_gives_the_numbers_of_one_device():
    check_history(keras.distribution.DataParallel(devices=FOUR))


@pytest.mark.long
@on_eight_devices
def test_fit_gives_the_numbers_of_one_device_by_any_layout():
    """The last batch, of 4, cannot be divided among 8 devices: it goes to all of them."""
    check_history(
        keras.distribution.DataParallel(),
        by_model(),
        by_model(**{".*kernel": ("model", None), ".*output": ("batch", "model")}),
    )


@on_eight_devices
def test_variables_are_never_whole_on_one_device():
    with by_model().scope():
        model = network()
        model.fit(*data(16), batch_size=8, verbose=0)
    model.set_weights(model.get_weights())
    for each in model.variables + model.optimizer.variables:
        if len(each.shape) == 2:
            whole = int(np.prod(each.shape))
            assert {np.prod(part.data.shape) for part in each.value.addressable_shards} == {whole // 4}, each.path
            assert each.value.sharding.spec[1] == "model"
        else:
            assert each.value.is_fully_replicated


@on_eight_devices
def test_large_variables_are_made_where_their_parts_are():
    keras.utils.set_random_seed(1)
    want = keras.layers.Dense(16, name="dense")
    want.build((None, 8))
    before, distribution_lib._LARGE = distribution_lib._LARGE, 0
    try:
        with by_model().scope():
            keras.utils.set_random_seed(1)
            layer = keras.layers.Dense(16, name="dense")
            layer.build((None, 8))
    finally:
        distribution_lib._LARGE = before
    assert {part.data.shape for part in layer.kernel.value.addressable_shards} == {(8, 4)}
    np.testing.assert_allclose(layer.kernel.numpy(), want.kernel.numpy(), rtol=1e-5, atol=1e-6)


@on_eight_devices
def test_batches_of_a_size_that_cannot_be_divided_are_refused():
    x, y = data(12)
    with keras.distribution.DataParallel(devices=FOUR).scope():
        model = network()
        with pytest.raises(distribution_lib.IndivisibleError, match="multiple of 4"):
            model.fit(x, y, batch_size=6, verbose=0)
        assert model.predict(x[:3], verbose=0).shape == (3, 4)  # part of a batch
        model.train_on_batch(x[:5], y[:5])
        assert model.predict_on_batch(x[:3]).shape == (3, 4)


@on_eight_devices
def test_variables_that_cannot_be_divided_are_named():
    with (
        by_model().scope(),
        pytest.raises(distribution_lib.IndivisibleError, match=r"'dense_x/kernel' of shape \(3, 6\)"),
    ):
        keras.layers.Dense(6, name="dense_x").build((None, 3))


@on_eight_devices
def test_a_custom_loop_runs_on_the_mesh():
    x, y = data(16)

    def trained(batch):
        model = network()
        optimizer = keras.optimizers.SGD(0.1)

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x, training=False) - y) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights))
            return loss

        return [float(step(*batch)) for _ in range(3)]

    want = trained((x, y))
    with by_model().scope():
        layout = keras.distribution.TensorLayout(("batch", None), grid())
        got = trained([keras.distribution.distribute_tensor(part, layout) for part in (x, y)])
    np.testing.assert_allclose(got, want, rtol=1e-4)


@on_eight_devices
def test_a_layout_inside_a_function_and_under_a_tape():
    layout = keras.distribution.TensorLayout(("batch", None), grid())
    x = tf.constant(data(8)[0])

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(keras.distribution.distribute_tensor(x * 2.0, layout) ** 2)
        return tape.gradient(y, x)

    np.testing.assert_allclose(f(x), 8 * x.numpy(), rtol=1e-5)
    spread = keras.distribution.distribute_tensor(x, layout)
    np.testing.assert_allclose(tf.function(f)(spread), 8 * x.numpy(), rtol=1e-5)
    assert keras.distribution.distribute_tensor(np.ones((4, 2)), layout).dtype == "float64"


@pytest.mark.long
@on_eight_devices
def test_datasets_and_eager_steps():
    x, y = data(16)
    want = network().fit(x, y, batch_size=8, verbose=0, shuffle=False).history
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    with keras.distribution.DataParallel(devices=FOUR).scope():
        same(network().fit(dataset, verbose=0).history, want)
        model = network()
        model.compile("adam", "mse", metrics=["mae"], run_eagerly=True)
        same(model.fit(x, y, batch_size=8, verbose=0, shuffle=False).history, want)


@pytest.mark.long
@on_eight_devices
def test_weights_move_between_meshes():
    with tempfile.TemporaryDirectory() as folder, by_model().scope():
        model = network()
        model.fit(*data(16), batch_size=8, verbose=0)
        model.save(f"{folder}/model.keras")
        model.save_weights(f"{folder}/model.weights.h5")
        with by_model(**{".*dense.*kernel": ("model", None)}).scope():
            other = network()
            other.load_weights(f"{folder}/model.weights.h5")
        assert tuple(other.layers[0].kernel.value.sharding.spec) == ("model", None)
        keras.distribution.set_distribution(None)
        for loaded in (other, keras.models.load_model(f"{folder}/model.keras")):
            same(loaded.get_weights(), model.get_weights())
        assert not network().layers[0].kernel.value.is_on_device


def test_one_process_need_not_meet_anybody():
    keras.distribution.initialize()
    assert (distribution_lib.num_processes(), distribution_lib.process_id()) == (1, 0)
    with pytest.raises(ValueError, match="has 2 jobs, but num_processes is 3"):
        keras.distribution.initialize("10.0.0.1:1,10.0.0.2:1", 3, 0)
    with pytest.raises(ValueError, match="need the address of the first one"):
        keras.distribution.initialize(num_processes=2, process_id=1)


@on_eight_devices
def test_backend_objects_are_those_of_jax():
    import jax

    mesh = grid()
    assert isinstance(mesh.backend_mesh, jax.sharding.Mesh) and mesh.backend_mesh.shape == {"batch": 2, "model": 4}
    layout = keras.distribution.TensorLayout(("batch", None), mesh)
    assert layout.backend_layout == jax.sharding.NamedSharding(
        mesh.backend_mesh, jax.sharding.PartitionSpec("batch", None)
    )
    assert distribution_lib._to_backend_device("cpu:3") == jax.devices()[3]
    with pytest.raises(ValueError, match="Device not found: cpu:99"):
        distribution_lib._to_backend_device("cpu:99")
    with pytest.raises(ValueError, match="Cannot create sharding when device mesh is not set"):
        distribution_lib._to_backend_layout(keras.distribution.TensorLayout(("batch",)))


JAX_ALONE = {  # what they compile or look at is JAX's own arrays
    "JaxDistributionLibTest.test_distribute_tensor",
    "JaxDistributionLibTest.test_distribute_tensor_with_jax_layout",
    "JaxDistributionLibTest.test_e2e_model_parallel_with_output_sharding",
    # and how it begins
    "JaxDistributionLibTest.test_initialize_with_all_job_addresses",
    "JaxDistributionLibTest.test_initialize_with_coordinator_address",
}


@pytest.mark.long
def test_keras_own_tests(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", f"--xla_force_host_platform_device_count=8 {os.environ.get('XLA_FLAGS', '')}")
    found = keras_tests.run(["keras.src.distribution", "keras.src.backend.jax.distribution_lib_test"])
    outcomes = [case for cases in found.values() for case in cases]
    assert set(keras_tests.failures(found)) == JAX_ALONE
    assert len(outcomes) > 50 and not [name for name, outcome in outcomes if outcome == "skipped"]
