"""Datasets without a network: an error that says where the file is looked for, and a file that is there is read."""

import re
import socket

import numpy as np
import pytest

import tapeflow as tf
from keras_tapeflow import downloads


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    def nobody(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr(socket, "create_connection", nobody)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    monkeypatch.setattr("keras.src.backend.config._KERAS_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "name, file", [("mnist", "mnist.npz"), ("imdb", "imdb.npz"), ("cifar10", "cifar-10-batches-py-target_archive")]
)
def test_a_dataset_says_where_its_file_is_looked_for(offline, name, file, capsys):
    with pytest.raises(Exception, match=r"URL fetch failure on http.*Name or service not known") as caught:
        getattr(tf.keras.datasets, name).load_data()
    assert type(caught.value) is Exception  # Keras' own
    assert f"put it here as {offline / 'datasets' / file} " in str(caught.value)


def test_get_file_says_so_too(offline, capsys):
    message = (
        r"download http://127\.0\.0\.1:9/a\.txt elsewhere, and put it here as "
        rf"{re.escape(str(offline / 'datasets' / 'b.txt'))} "
    )
    with pytest.raises(Exception, match=message):
        tf.keras.utils.get_file("b.txt", origin="http://127.0.0.1:9/a.txt")


def test_a_file_in_the_cache_needs_no_network(offline):
    (offline / "datasets").mkdir()
    arrays = {
        name: np.arange(6).reshape(shape)
        for name, shape in zip(("x_train", "y_train", "x_test", "y_test"), ((2, 3), 6, (3, 2), 6))
    }
    np.savez(offline / "datasets" / "data.npz", **arrays)
    path = tf.keras.utils.get_file("data.npz", origin="http://127.0.0.1:9/data.npz")
    assert np.load(path)["x_train"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_what_the_server_says_is_kept():
    def refuse(url, filename):
        raise downloads.HTTPError(url, 404, "Not Found", None, None)

    with pytest.raises(downloads.HTTPError, match=r"404: Not Found. The file is not in Keras' cache") as caught:
        downloads.explained(refuse)("file:///a.txt", "/b.txt")
    caught.value.close()


def test_nobody_answering_is_no_reason_to_wait_for_minutes(monkeypatch):
    def deaf(address, timeout):
        assert address == ("example.invalid", 443) and timeout <= 10
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", deaf)
    with pytest.raises(downloads.URLError, match=r"timed out\. The file is not in Keras' cache"):
        downloads.explained(lambda *_: None)("https://example.invalid/a", "a")


def test_a_proxy_is_left_to_find_the_way(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert downloads.explained(lambda url, filename: filename)("https://example.invalid/a", "a") == "a"
