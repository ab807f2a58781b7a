"""Keras' saves are whole or not there, and a backup that is damaged does not stop the job that it is for."""

import json
import pathlib

import keras
import numpy as np
import pytest

from tests.saved_formats import fill, keras_model, only
from tests.storage.test_whole_files import faults, unix


@unix
def test_a_save_that_is_killed_or_whose_disk_fails_at_any_step_loses_nothing():
    """As `tf.keras`. Keras itself leaves half a file after most kills, and weights beside another epoch."""
    found = faults("keras", "weights", "backup")
    assert len(found) == 3 and min(found.values()) > 20, "the program does not fail where it should"


@unix
@pytest.mark.long
@pytest.mark.parametrize("how", [[], ["--kills", 60]], ids=["any-step", "any-time"])
def test_every_format_with_tapeflow_as_the_backend(how):
    names = "keras h5 weights sharded folder export model_checkpoint weights_checkpoint backup double_backup".split()
    assert list(faults(*how, *names, KERAS_BACKEND="tapeflow")) == names


def test_a_damaged_archive_says_which_and_what(tmp_path):
    path = tmp_path / "m.keras"
    model = keras_model()
    model.save(path)
    good = path.read_bytes()
    middle = good.index(b"\x89HDF") + 3000
    for wrong, what in [
        (good[:-100], "not a zip file"),
        (b"", "not a zip file"),
        (good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :], "Bad CRC-32 for file 'model.weights.h5'"),
        (good.replace(b"config.json", b"confih.json"), "config.json"),
    ]:
        path.write_bytes(wrong)
        for load in (keras.models.load_model, model.load_weights):
            with pytest.raises(ValueError, match=rf"m\.keras is damaged.*{what}"):
                load(path)
        assert path.read_bytes() == wrong
    with pytest.raises(ValueError, match="File not found"):
        keras.models.load_model(tmp_path / "none.keras")


def test_what_cannot_be_written_is_refused_as_keras_does(tmp_path):
    model = keras_model()
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "missing" / "m.keras")
    (tmp_path / "folder.keras").mkdir()
    with pytest.raises(IsADirectoryError):
        model.save(tmp_path / "folder.keras")
    with open(tmp_path / "open.keras", "wb") as file:
        keras.src.saving.saving_lib.save_model(model, file)
    assert keras.models.load_model(tmp_path / "open.keras").built
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.keras", "open.keras"]


# ---- BackupAndRestore


def backed_up(folder, epochs, **options):
    model = keras_model()
    callback = keras.callbacks.BackupAndRestore(folder, **options)
    callback.set_model(model)
    for epoch in epochs:
        fill(model, epoch + 1)
        callback.on_epoch_end(epoch)
    return folder


def restored(folder):
    """The epoch, which the weights belong to; None after a beginning without a backup."""
    model = keras_model()
    fill(model, -1)
    callback = keras.callbacks.BackupAndRestore(folder)
    callback.set_model(model)
    callback.on_train_begin()
    assert only(model.get_weights()) == (model._initial_epoch or -1)
    return model._initial_epoch


DAMAGE = {
    "empty": lambda good: b"",
    "cut": lambda good: good[: len(good) // 2],
    "another byte": lambda good: good[:-9] + bytes([good[-9] ^ 4]) + good[-8:],
    "nested": lambda good: b"[" * 100_000,
}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", ["latest.weights.h5", "training_metadata.json"])
def test_a_damaged_backup_gives_way_to_the_one_before(tmp_path, name, how, caplog):
    file = pathlib.Path(backed_up(tmp_path / "two", range(3), double_checkpoint=True)) / name
    assert restored(tmp_path / "two") == 3
    file.write_bytes(DAMAGE[how](file.read_bytes()))
    assert restored(tmp_path / "two") == 2
    assert "the one before was restored" in caplog.text
    file.unlink()
    assert restored(tmp_path / "two") == 2
    file = pathlib.Path(backed_up(tmp_path / "one", range(3))) / name
    file.write_bytes(DAMAGE[how](file.read_bytes()))
    assert restored(tmp_path / "one") is None
    assert "the training begins at its beginning" in caplog.text
    backed_up(tmp_path / "one", range(2))
    assert restored(tmp_path / "one") == 2


def test_backups_that_keras_wrote_are_read(tmp_path, caplog):
    backed_up(tmp_path, range(3), double_checkpoint=True)
    for file in tmp_path.glob("training_metadata*"):
        file.write_text(
            json.dumps(
                {key: value for key, value in json.loads(file.read_text()).items() if key in ("epoch", "batch")}
            )
        )
    assert restored(tmp_path) == 3
    weights = tmp_path / "latest.weights.h5"
    good = weights.read_bytes()
    weights.write_bytes(good[:-2000])
    assert restored(tmp_path) == 2
    weights.write_bytes(good)
    backed_up(tmp_path, [3], double_checkpoint=True)  # keeps Keras' own
    weights.unlink()
    assert restored(tmp_path) == 3


def test_a_backup_of_another_model_is_an_error_and_a_finished_training_leaves_none(tmp_path):
    folder = backed_up(tmp_path / "backup", range(1))
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(5)])
    model.compile("sgd", "mse")
    callback = keras.callbacks.BackupAndRestore(folder)
    callback.set_model(model)
    with pytest.raises(ValueError, match="could not be loaded"):
        callback.on_train_begin()
    callback.on_train_end()
    assert not list(tmp_path.iterdir())


def test_a_log_goes_on_in_a_new_line(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("epoch,loss\n0,1.0\n1,0.")  # a row that a kill cut
    callback = keras.callbacks.CSVLogger(path, append=True)
    callback.on_train_begin()
    callback.on_epoch_end(1, {"loss": np.float32(0.5), "val_loss": 0.5})
    callback.on_train_end()
    assert path.read_text().split() == ["epoch,loss", "0,1.0", "1,0.5,0.5"]
