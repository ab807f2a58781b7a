"""`tapeflow convert`: models of Keras 2 become `.keras` files that compute the same and are trained on."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.cli import main
from tests.saved_model.tensorflow.reading import changed, unpacked

keras = pytest.importorskip("keras")


def test_a_file(tmp_path, capsys):
    folder = unpacked("keras2_trained", tmp_path)
    assert main(["convert", str(folder / "model.h5"), str(tmp_path / "new.keras")]) == 0
    assert "Functional of 11 layers" in capsys.readouterr().out
    model = keras.models.load_model(tmp_path / "new.keras")
    with np.load(folder / "answers.npz") as stored:
        answers = dict(stored)
    np.testing.assert_allclose(model(answers["inputs"]), answers["outputs"], rtol=1e-5, atol=1e-6)
    losses = [model.train_on_batch(answers["inputs"], answers["targets"])[0] for _ in range(4)]
    np.testing.assert_allclose(losses, answers["losses"], rtol=1e-4)


def test_a_folder_of_layers(tmp_path, capsys):
    folder = unpacked("keras2", tmp_path)
    assert main(["convert", str(folder), str(tmp_path / "new.keras")]) == 0
    assert "outputs are those of the graph" in capsys.readouterr().out
    model, graph = keras.models.load_model(tmp_path / "new.keras"), tf.saved_model.load(folder)
    x = np.random.default_rng(0).normal(size=(3, 6, 6, 2)).astype(np.float32)
    np.testing.assert_allclose(model(x), graph(tf.constant(x)), rtol=1e-5, atol=1e-6)
    model.compile("sgd", "mse")
    model.fit(x, np.ones((3, 2)), verbose=0)


def test_a_folder_without_layers(tmp_path, capsys):
    folder = unpacked("generator", tmp_path)
    assert main(["convert", str(folder), str(tmp_path / "new.keras")]) == 0
    assert "a layer that calls the graph" in capsys.readouterr().out
    model = keras.models.load_model(tmp_path / "new.keras", safe_mode=False)
    x = np.ones((2, 4), np.float32)
    np.testing.assert_allclose(model(x), tf.saved_model.load(folder).serve(tf.constant(x)), rtol=1e-5, atol=1e-6)


def test_layers_that_compute_something_else(tmp_path, capsys):
    """Then the graph is called."""
    folder = unpacked("keras2", tmp_path)
    path = folder / "keras_metadata.pb"
    path.write_bytes(path.read_bytes().replace(b'"activation": "relu"', b'"activation": "tanh"'))
    assert main(["convert", str(folder), str(tmp_path / "new.keras")]) == 0
    assert "its layers compute something else in Keras 3 than its graph" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("what", "match"),
    [
        ("nowhere", "no such file or folder"),
        ("empty", "does not exist"),
        ("text.h5", "text.h5"),
        ("cut.h5", "cut.h5"),
        ("metadata", "keras_metadata.pb"),
    ],
)
def test_what_is_no_model(what, match, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.h5").write_text("no model")
    whole = (unpacked("keras2_trained", tmp_path) / "model.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(whole[: len(whole) // 2])
    (unpacked("keras2", tmp_path).rename(tmp_path / "metadata") / "keras_metadata.pb").write_bytes(b"\x0a\xff")
    assert main(["convert", str(tmp_path / what), str(tmp_path / "new.keras")]) == 2
    assert match in capsys.readouterr().err
    assert not (tmp_path / "new.keras").exists()
    assert main(["convert", str(tmp_path / "keras2_trained" / "model.h5"), str(tmp_path / "new.txt")]) == 2


def test_a_damaged_graph(tmp_path, capsys):
    folder = changed("keras2", tmp_path, lambda g: g.object_graph_def.nodes[0].children.add(node_id=999))
    assert main(["convert", str(folder), str(tmp_path / "new.keras")]) == 2
    assert "holds the object 999" in capsys.readouterr().err
