"""Keras' saves, whole or not there: Keras writes in place, so a kill or a full disk would leave half a file, and the
one before is gone.

Its functions are given another path, in a folder of its own beside the right one. What they made there is brought to
the disk and takes the place of what was there before, in one step.
"""

import functools
import inspect
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from tapeflow.storage.whole_files import made_whole, whole

__all__ = [
    "adapt_files",
    "adapt_legacy_files",
    "adapt_loading",
    "adapt_log",
    "adapt_weights_editor",
    "is_ours",
    "whole_save",
]


def adapt_files(module: ModuleType) -> None:
    """`keras.src.saving.saving_lib`: `.keras`, folders, `.weights.h5`, sharded weights."""
    module.save_model = whole_save(module.save_model)
    module.save_weights_only = whole_save(module.save_weights_only)
    module.load_model = _checked(module.load_model)
    module.load_weights_only = _checked(module.load_weights_only)


def adapt_legacy_files(module: ModuleType) -> None:
    """`keras.src.legacy.saving.legacy_h5_format`: `.h5`, also as Keras 2 wrote it."""
    module.save_model_to_hdf5 = whole_save(module.save_model_to_hdf5)
    module.load_model_from_hdf5 = _checked(_of_keras_2(module))


def _of_keras_2(module: ModuleType) -> Any:
    """What reads `.h5` files, with the words of Keras 2: known when the first is read, since they import layers."""
    load = module.load_model_from_hdf5

    @functools.wraps(load)
    def load_model_from_hdf5(
        filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
    ) -> Any:
        from keras_tapeflow import older_models

        return older_models.load(load, module, filepath, custom_objects, compile, safe_mode)

    return load_model_from_hdf5


def adapt_weights_editor(module: ModuleType) -> None:
    """`keras.src.saving.file_editor`: `keras.saving.KerasFileEditor`."""
    module.KerasFileEditor.save = whole_save(module.KerasFileEditor.save)


def adapt_loading(module: ModuleType) -> None:
    """`keras.src.saving.saving_api`: a damaged archive is no archive to it, and then "not found"."""
    load = module.load_model

    @functools.wraps(load)
    def load_model(filepath: Any, *args: Any, **kwargs: Any) -> Any:
        path = _local(filepath)
        if path is not None and path.endswith(".keras") and os.path.isfile(path) and not zipfile.is_zipfile(path):
            raise ValueError(_damaged(path, zipfile.BadZipFile("File is not a zip file")))
        return load(filepath if path is None else whole(path), *args, **kwargs)

    module.load_model = load_model
    module.load_weights = _checked(module.load_weights, archive=False)


def adapt_log(module: ModuleType) -> None:
    """`keras.src.callbacks.csv_logger`: a log that is appended to begins a new line, also after a row that a kill or a
    full disk cut."""
    begin = module.CSVLogger.on_train_begin

    @functools.wraps(begin)
    def on_train_begin(self: Any, logs: Any = None) -> None:
        path = _local(self.filename)
        if self.append and path is not None and os.path.isfile(path):
            with open(path, "rb+") as file:
                whole_rows = file.read().rpartition(b"\n")
                file.truncate(len(whole_rows[0]) + len(whole_rows[1]))
        begin(self, logs)

    module.CSVLogger.on_train_begin = on_train_begin


# ---- saving


def whole_save(save: Callable) -> Callable:
    """A function that writes `filepath`, made to write it whole."""
    signature = inspect.signature(save)

    @functools.wraps(save)
    def saved(*args: Any, **kwargs: Any) -> Any:
        call = signature.bind(*args, **kwargs)
        path = _local(call.arguments["filepath"])
        if path is None:
            return save(*args, **kwargs)
        if not call.arguments.get("zipped", True):
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        elif not _can_be_replaced(path):
            return save(*args, **kwargs)
        sharded = call.arguments.get("max_shard_size") is not None
        with made_whole(os.path.splitext(path)[0] + ".json" if sharded else path) as made:
            call.arguments["filepath"] = os.path.join(os.path.dirname(made), os.path.basename(path))
            from keras_tapeflow.src import distribution_lib

            with distribution_lib.saving():
                return save(*call.args, **call.kwargs)

    return saved


def is_ours(path: str) -> bool:
    """Is it a path of this machine's, which `open` understands?"""
    from keras.src.utils import file_utils

    return not (path.startswith("hf://") or file_utils.is_remote_path(path))


def _local(filepath: Any) -> str | None:
    """A path that is ours to write; None of an open file, or of a file elsewhere."""
    if not isinstance(filepath, (str, bytes, os.PathLike)):
        return None
    path = os.fsdecode(filepath)
    return path if is_ours(path) else None


def _can_be_replaced(path: str) -> bool:
    """What may not be written, or is no file (a pipe, a folder), and a folder that is missing or lets nobody in, are
    for Keras to refuse."""
    if os.path.lexists(path) and not (os.path.isfile(path) and os.access(path, os.W_OK)):
        return False
    return os.access(os.path.dirname(os.path.realpath(path)), os.W_OK | os.X_OK)


# ---- loading


def _checked(load: Callable, archive: bool = True) -> Callable:
    """A function that reads `filepath`, made to say which file is damaged."""
    signature = inspect.signature(load)

    @functools.wraps(load)
    def loaded(*args: Any, **kwargs: Any) -> Any:
        call = signature.bind(*args, **kwargs)
        path = _local(call.arguments["filepath"])
        if path is None:
            return load(*args, **kwargs)
        path = call.arguments["filepath"] = whole(path)
        if archive and path.endswith(".keras") and os.path.isfile(path):
            _check_archive(path)
        with _named(path):
            return load(*call.args, **call.kwargs)

    return loaded


def _check_archive(path: str) -> None:
    """Keras reads the weights in pieces if it cannot read them as a whole, and would not notice that they have
    changed."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if entry.file_size > max(_HUGE, 100 * entry.compress_size):
                    continue  # Keras refuses it
                with archive.open(entry) as part:
                    while part.read(1 << 20):
                        pass
            if "config.json" not in archive.namelist():
                raise ValueError("it has no config.json")
    except FileNotFoundError:
        raise
    except _DAMAGE as error:
        raise ValueError(_damaged(path, error)) from error


_HUGE = 1 << 32

# What reading a file raises that is not as it was written, besides OSError and ValueError, which h5py and Keras raise
# with a text.
_DAMAGE: Any = (
    zipfile.BadZipFile, zlib.error, KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError,
    OverflowError, EOFError, NotImplementedError, RuntimeError, OSError, MemoryError,
)  # fmt: skip


@contextmanager
def _named(path: str) -> Iterator[None]:
    try:
        yield
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(_damaged(path, error)) from error
    except (OSError, ValueError, TypeError) as error:
        if isinstance(error, TypeError) and path.endswith(
            ".json"
        ):  # an index of shards in which something else stands
            raise ValueError(_damaged(path, error)) from error
        if path not in str(error):
            error.add_note(f"It was raised while {path} was read.")
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        LookupError,
        OverflowError,
        EOFError,
        RuntimeError,
        MemoryError,
        AttributeError,
    ) as error:
        raise ValueError(_damaged(path, error)) from error


def _damaged(path: str, error: BaseException) -> str:
    what = str(error) or "it cannot be read"
    return (
        f"{path} is damaged, or is not a file that Keras wrote: {type(error).__name__}: {what}. No file was changed. "
        "Copy it again, or load an earlier one."
    )
