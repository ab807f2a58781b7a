"""The names under which programs reach Keras."""

import subprocess
import sys

import pytest

import tapeflow as tf

# What programs use most, of Keras in TensorFlow's flavour; `tf.` in front.
NAMES = """
keras.Input keras.Model keras.Sequential keras.backend.clear_session keras.backend.set_floatx
keras.callbacks.ProgbarLogger keras.callbacks.TensorBoard keras.datasets.fashion_mnist.load_data
keras.datasets.mnist.load_data keras.initializers.he_normal keras.initializers.random_normal keras.layers.Dense
keras.layers.ThresholdedReLU keras.layers.concatenate keras.losses.KLD keras.losses.MSE keras.losses.Reduction.NONE
keras.losses.logcosh keras.losses.mean_absolute_error keras.losses.mean_squared_error keras.losses.mse
keras.metrics.mean_squared_error keras.metrics.sparse_categorical_accuracy keras.mixed_precision.LossScaleOptimizer
keras.mixed_precision.global_policy keras.mixed_precision.set_dtype_policy keras.mixed_precision.set_global_policy
keras.optimizers.Adam keras.optimizers.legacy.Adam keras.optimizers.schedules.ExponentialDecay
keras.preprocessing.image.ImageDataGenerator keras.preprocessing.sequence.pad_sequences
keras.preprocessing.text.Tokenizer keras.utils.Sequence keras.utils.get_file keras.utils.plot_model
keras.utils.unpack_x_y_sample_weight initializers.GlorotUniform initializers.RandomNormal losses.MeanSquaredError
losses.mean_squared_error metrics.Mean optimizers.Adam
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_is_there(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)


@pytest.mark.parametrize(
    "statement, same",
    [
        ("from tapeflow.keras import layers as found", "tf.keras.layers"),
        ("from tapeflow.keras.layers import Dense as found", "tf.keras.layers.Dense"),
        ("import tapeflow.keras.backend as found", "tf.keras.backend"),
        (
            "from tapeflow.keras.applications.vgg16 import preprocess_input as found",
            "tf.keras.applications.vgg16.preprocess_input",
        ),
        (
            "from tapeflow.keras.optimizers.schedules import ExponentialDecay as found",
            "tf.keras.optimizers.schedules.ExponentialDecay",
        ),
    ],
)
def test_modules_are_imported_as_in_tensorflow(statement, same):
    names: dict = {"tf": tf}
    exec(statement, names)
    assert names["found"] is eval(same, names)
    assert tf.keras.__spec__.name == "keras._tf_keras.keras"


def test_it_may_be_the_first_import():
    code = "from tapeflow.keras.layers import Dense; import tapeflow; print(Dense is tapeflow.keras.layers.Dense)"
    assert (
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True).stdout == "True\n"
    )


def test_a_module_that_is_not_there_is_named():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tapeflow\.keras\.nonsense'"):
        import tapeflow.keras.nonsense  # noqa: F401
