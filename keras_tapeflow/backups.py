"""`keras.callbacks.BackupAndRestore`, of which a kill at any moment leaves a backup that fits together.

Keras writes weights and then, in another file, the epoch that they belong to. Here that file has the weights'
checksum, too, so that a restart takes a pair or none; the pair before is kept until the new one is whole. Keras reads
what is written here, and the other way round.
"""

import json
import logging
import os
import shutil
import tempfile
import zlib
from contextlib import suppress
from types import ModuleType
from typing import Any

from tapeflow.core.runtime.files import patiently, replace
from tapeflow.storage.leftovers import remove, sweep, temporary
from tapeflow.storage.whole_files import made_whole, replacing, sync

from .whole_saves import is_ours

__all__ = ["adapt"]

_log = logging.getLogger("tapeflow")
_CHECKSUM = "weights_crc32"
_ATTRIBUTES = (
    "_weights_path", "_prev_weights_path", "_training_metadata_path", "_prev_training_metadata_path", "_current_epoch",
    "_last_batch_seen", "delete_checkpoint", "double_checkpoint",
)  # fmt: skip


def adapt(module: ModuleType) -> None:
    """`keras.src.callbacks.backup_and_restore`."""
    callback = module.BackupAndRestore
    ours = {"on_train_begin": _restore, "_save_model": _save, "on_train_end": _end}
    for name, function in ours.items():
        setattr(callback, name, _where_local(function, getattr(callback, name)))


def _where_local(ours: Any, theirs: Any) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> None:
        known = all(hasattr(self, name) for name in _ATTRIBUTES) and is_ours(os.fsdecode(self.backup_dir))
        (ours if known else theirs)(self, *args, **kwargs)

    method.__name__, method.__doc__ = theirs.__name__, theirs.__doc__
    return method


# ---- saving


def _save(self: Any, *_: Any, **__: Any) -> None:
    """Of several processes the first one writes; the others read what is spread over all of them, as it does."""
    from keras_tapeflow.src import distribution_lib

    if distribution_lib.process_id() == 0:
        _write(self)
    else:
        with tempfile.TemporaryDirectory() as folder:
            self.model.save_weights(os.path.join(folder, "latest.weights.h5"))
    distribution_lib.together("backup")


def _write(self: Any) -> None:
    folder, weights, metadata = os.fsdecode(self.backup_dir), self._weights_path, self._training_metadata_path
    os.makedirs(folder, exist_ok=True)
    kept = [(weights, self._prev_weights_path), (metadata, self._prev_training_metadata_path)]
    with made_whole(os.path.join(folder, os.path.basename(weights))) as made:
        self.model.save_weights(filepath=made, overwrite=True)
        state = {"epoch": self._current_epoch, "batch": self._last_batch_seen, _CHECKSUM: _checksum(made)}
        sync(made)
        if _is_worth_keeping(weights, _state(metadata)):
            for path, earlier in kept:
                _keep(path, earlier)
            sync(folder)
        with replacing(metadata) as file:
            file.write(json.dumps(state).encode())
    if not self.double_checkpoint:
        for _, earlier in kept:  # weights first: without them metadata are nothing
            with suppress(FileNotFoundError):
                os.remove(earlier)


def _is_worth_keeping(weights: str, state: dict | None) -> bool:
    """Not what is damaged, least of all instead of a good one. What Keras itself wrote has no checksum."""
    if state is None or not os.path.exists(weights):
        return False
    return _CHECKSUM not in state or state[_CHECKSUM] == _checksum(weights)


def _keep(path: str, earlier: str) -> None:
    """One more name for a file, instead of what had it."""
    made = temporary(earlier)
    try:
        os.link(path, made)
    except OSError:
        with open(path, "rb") as source, replacing(earlier) as copy:
            while piece := source.read(1 << 20):
                copy.write(piece)
        return
    try:
        replace(made, earlier)
    finally:
        remove(made)  # two names of one file are not replaced


def _checksum(path: str) -> str:
    found = 0
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            found = zlib.crc32(piece, found)
    return f"{found:08x}"


# ---- restoring


def _restore(self: Any, logs: Any = None) -> None:
    if not self.model.built:
        self._load_model()  # says what to do
        return
    paths = [self._training_metadata_path, self._prev_training_metadata_path]
    weights = [self._weights_path, self._prev_weights_path]
    if not any(map(os.path.exists, paths + weights)):
        return
    states = [_state(path) for path in paths]
    sums = {path: _checksum(path) for path in weights if os.path.exists(path)}
    pairs = [(path, state) for state in states for path in sums if state and state.get(_CHECKSUM) == sums[path]]
    pairs += [(path, state) for path, state in zip(weights, states) if path in sums and _CHECKSUM not in (state or {})]
    for path, state in pairs:
        if _loaded(self.model, path, certain=_CHECKSUM in (state or {})):
            if state is not None:
                self.model._initial_epoch = state["epoch"]
            if path != weights[0] or state is not states[0]:
                _log.warning(
                    "The newest backup in %s is incomplete or damaged: the one before was restored.", self.backup_dir
                )
            return
    _log.warning("There is no complete backup in %s: the training begins at its beginning.", self.backup_dir)


def _state(path: str) -> dict | None:
    """What a file of metadata says; None where there is none. Where it is damaged, the weights beside it are of an
    unknown epoch."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        _log.warning("%s is damaged (%s).", path, error)
        return {_CHECKSUM: None}
    if isinstance(found, dict) and isinstance(found.get("epoch"), int):
        return found
    _log.warning("%s is damaged: it names no epoch.", path)
    return {_CHECKSUM: None}


def _loaded(model: Any, path: str, certain: bool) -> bool:
    """Loads the weights. Where no checksum says that they are whole, a failure leaves the model as it was."""
    optimizer = model.optimizer
    if optimizer is not None and not optimizer.built:
        optimizer.build(model.trainable_variables)
    if certain:
        _load(model, path)
        return True
    variables = [*model.variables, *(optimizer.variables if optimizer is not None else [])]
    before = [variable.numpy() for variable in variables]
    try:
        _load(model, path)
    except (OSError, ValueError) as error:
        _log.warning("%s cannot be restored: %s", path, error)
        for variable, value in zip(variables, before):
            variable.assign(value)
        return False
    return True


def _load(model: Any, path: str) -> None:
    """Keras knows a file of weights by how its name ends."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "latest.weights.h5")
        try:
            os.symlink(os.path.abspath(path), name)
        except OSError:
            shutil.copyfile(path, name)
        model.load_weights(name)


def _end(self: Any, logs: Any = None) -> None:
    """All of it goes at once: a part of a backup would be restored by the next training."""
    from keras_tapeflow.src import distribution_lib

    distribution_lib.together("end of backups")
    if distribution_lib.process_id() != 0:
        return
    folder = os.fsdecode(self.backup_dir)
    if not (self.delete_checkpoint and os.path.exists(folder)):
        return
    gone = temporary(os.path.normpath(folder))
    try:
        patiently(os.rename, folder, gone)
        beside = os.path.dirname(gone)
        sweep(beside, os.stat(beside or ".").st_mtime)
    except OSError:  # a folder that something is mounted at
        gone = folder
    remove(gone)
