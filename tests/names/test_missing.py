"""A name that is not there: the words, the nearest names, and that asking for it stays cheap and honest."""

import pickle
import re
import subprocess
import sys
import traceback

import pytest

import tapeflow as tf
from tapeflow.names import hints, missing
from tapeflow.programs import support


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tf.no_such_thing_at_all", "tapeflow has no tf.no_such_thing_at_all."),
        (
            "tf.math.sine",
            "tapeflow has no tf.math.sine. The nearest it has: tf.math.sin, tf.math.sinh, tf.math.sign.",
        ),
        ("tf.reduce_variance", "tapeflow has no tf.reduce_variance. The nearest it has: tf.math.reduce_variance."),
        ("tf.log", "tapeflow has no tf.log. It is TensorFlow 1: use tf.math.log."),
        ("tf.linalg.choleski", "tapeflow has no tf.linalg.choleski. The nearest it has: tf.linalg.cholesky."),
        (
            "tf.config.experimental.tensor_float_32_execution_enable",
            "tapeflow has no tf.config.experimental.tensor_float_32_execution_enable. "
            "The nearest it has: tf.config.experimental.tensor_float_32_execution_enabled, "
            "tf.config.experimental.enable_tensor_float_32_execution.",
        ),
        ("tf.compat.v1.assing", "tapeflow has no tf.compat.v1.assing. The nearest it has: tf.compat.v1.assign."),
        (
            "tf.keras.layers.Densee",
            "Keras 3 has no tf.keras.layers.Densee. The nearest it has: tf.keras.layers.Dense.",
        ),
        (
            "tf.experimental.dtensor",
            "tapeflow has no tf.experimental.dtensor yet. Layouts of tensors over devices are "
            "keras.distribution's: DeviceMesh and TensorLayout for Mesh and Layout, distribute_tensor for relayout, "
            "LayoutMap for variables (docs/distribution.md).",
        ),
        ("tf.lite.toco_convert", "tapeflow has no tf.lite.toco_convert yet. " + hints.HINTS["tf.lite"]),
        (
            "tf.keras.experimental",
            "Keras 3 has no tf.keras.experimental. Its schedules are in tf.keras.optimizers.schedules.",
        ),
    ],
)
def test_words(name, words):
    *path, last = name.split(".")[1:]
    space = tf
    for part in path:
        space = getattr(space, part)
    assert not hasattr(space, last)
    assert getattr(space, last, None) is None
    with pytest.raises(AttributeError) as caught:
        getattr(space, last)
    assert str(caught.value) == words
    assert caught.value.name == last


@pytest.mark.parametrize(
    "space", ["tf", "tf.math", "tf.nn", "tf.signal", "tf.data", "tf.test", "tf.errors", "tf.compat", "tf.raw_ops"]
)
def test_every_namespace(space):
    module = tf
    for part in space.split(".")[1:]:
        module = getattr(module, part)
    with pytest.raises(AttributeError, match=rf"^tapeflow has no {space}.nothing_like_this"):
        module.nothing_like_this  # noqa: B018


def test_import_from_says_the_same():
    with pytest.raises(ImportError, match=r"^tapeflow has no tf.reluu. The nearest it has: tf.nn.relu"):
        exec("from tapeflow import reluu", {})


def test_shown_as_an_attribute_error():
    try:
        tf.nothing_like_this  # noqa: B018
    except AttributeError as error:
        last = traceback.format_exception_only(error)[-1]
        again = pickle.loads(pickle.dumps(error))
    assert last == "AttributeError: tapeflow has no tf.nothing_like_this.\n"
    assert type(again) is AttributeError and str(again) == "tapeflow has no tf.nothing_like_this."


def test_probing_looks_for_no_hint(monkeypatch):
    monkeypatch.setattr(missing, "words", lambda name: pytest.fail("nobody reads the message"))
    assert not hasattr(tf, "nothing_like_this")


def test_special_names_are_plain():
    with pytest.raises(AttributeError, match="has no attribute '__wrapped__'"):
        tf.math.__wrapped__  # noqa: B018


def test_an_error_inside_a_namespace_is_not_hidden(tmp_path):
    """An AttributeError from the code of a namespace, when it is imported, is not about the name that was asked
    for."""
    program = (
        "import sys, types, tapeflow as tf\n"
        "class Broken:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'tapeflow.api.signal': None.no_such_attribute\n"
        "sys.meta_path.insert(0, Broken())\n"
        "try: tf.signal\n"
        "except AttributeError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tf.__path__[0].rpartition("tapeflow")[0]
    )
    assert done.stdout == "'NoneType' object has no attribute 'no_such_attribute'\n", done.stderr


def test_hints_are_about_what_is_not_there_and_name_what_is():
    """A hint for a name that has come in the meantime, or one that sends people to a name that does not exist, is to
    go."""
    for name, sentence in hints.HINTS.items():
        if not support.is_namespace(name):
            assert support.answer(name).status == support.MISSING, name
        for mentioned in re.findall(r"tf\.[\w.]*\w", sentence):
            assert support.answer(mentioned).status != support.MISSING, f"{name}: {sentence}"
