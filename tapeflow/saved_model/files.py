"""The files of a saved model: values, and an index that names them and has checksums of both. The index is replaced
last, in one step."""

import itertools
import json
import os
import re
import zlib
from pathlib import Path
from typing import Any

from tapeflow.core.errors import DataLossError
from tapeflow.storage.array_file import read_arrays, write_arrays
from tapeflow.storage.leftovers import identity, is_abandoned
from tapeflow.storage.whole_files import made_whole, replacing, sync

__all__ = ["INDEX", "cannot_parse", "read_model", "write_model"]

INDEX = "saved_model.json"
_OF_TENSORFLOW = "saved_model.pb"
_FORMAT, _VERSION = "tapeflow saved model", 1
_serial = itertools.count()
_being_saved: set[str] = set()  # files of values that this process writes right now


def write_model(folder: Path, model: dict, arrays: dict) -> None:
    """A new directory appears when it is complete. In one that is there the new model takes the old one's place in one
    step, when the file that names all others is replaced; whatever else is in it stays. The old values go when that is
    on the disk."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with made_whole(str(folder)) as made:
            os.mkdir(made)
            write_model(Path(made), model, arrays)
        return
    system, process, started = identity()
    values = folder / f"values-{system}{process:08x}{started:016x}{next(_serial):08x}.safetensors"
    _being_saved.add(values.name)
    try:
        files = {"values": values.name, "checksum": write_arrays(values, arrays), "checked": True}
        sync(str(folder))
        before = _values_file(folder / INDEX)
        with replacing(str(folder / INDEX)) as file:
            file.write(
                _with_checksum(
                    json.dumps({"format": _FORMAT, "version": _VERSION} | model | files, separators=(",", ":"))
                )
            )
    except BaseException:
        if _values_file(folder / INDEX) != values.name:
            values.unlink(missing_ok=True)
        raise
    finally:
        _being_saved.discard(values.name)
    (folder / _OF_TENSORFLOW).unlink(missing_ok=True)  # an older model in its format, which TensorFlow would read
    now = values.stat().st_mtime
    for other in folder.glob("values-*.safetensors"):
        if other.name == before or other != values and _is_values_file(other.name) and _will_not_be_named(other, now):
            other.unlink(missing_ok=True)


def _will_not_be_named(values: Path, now: float) -> bool:
    """Is nobody writing this file, for an index to come? Its name says whose it is; an earlier version's does not."""
    parts = re.fullmatch(r"values-([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{16})[0-9a-f]{8}\.safetensors", values.name)
    writer = ("", 0, 0) if parts is None else (parts[1], int(parts[2], 16), int(parts[3], 16))
    return values.name not in _being_saved if writer == identity() else is_abandoned(writer, str(values), now)


def _with_checksum(text: str) -> bytes:
    """The first entry is the CRC-32 of all that comes after it."""
    rest = text[1:].encode()
    return b'{"crc32":"%08x",' % zlib.crc32(rest) + rest


def _without_checksum(content: bytes) -> Any:
    """What the file says. ValueError if it is damaged; what an earlier version wrote has no checksum."""
    head = re.match(rb'\{"crc32":"([0-9a-f]{8})",', content)
    if head and int(head[1], 16) != zlib.crc32(content[head.end() :]):
        raise ValueError("its checksum is not the one that it was written with")
    model = json.loads(content)
    if not head and isinstance(model, dict) and "checked" in model:
        raise ValueError("its checksum is missing")
    return model


def _values_file(index: Path) -> str | None:
    """Of a model that is there already."""
    try:
        name = json.loads(index.read_bytes())["values"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return name if _is_values_file(name) else None


def _is_values_file(name: Any) -> bool:
    """A name of ours, and no path to somewhere else."""
    return isinstance(name, str) and re.fullmatch(r"values-[0-9a-f]+\.safetensors", name) is not None


# ---- reading


def read_model(folder: Path) -> tuple[dict, dict]:
    """What the index says, and the values by their names. OSError where there is no model or the index is damaged,
    DataLossError where values are."""
    model = _model(folder)
    values = model.get("values")
    if not _is_values_file(values):
        raise cannot_parse(folder, f"{values!r} is no name of a file of values")
    return model, _values(folder, model)


def _values(folder: Path, model: dict) -> dict:
    """DataLossError where they are not those that were written."""
    file = folder / model["values"]
    try:
        return read_arrays(file, model["checksum"])
    except FileNotFoundError:
        raise OSError(f"The SavedModel in {folder} is incomplete: {file.name} is missing.") from None
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise DataLossError(
            None, None, f"The SavedModel in {folder} is damaged: {error or type(error).__name__}"
        ) from error


def cannot_parse(folder: Path, why: str) -> OSError:
    """TensorFlow's error and its first words."""
    return OSError(
        f"Cannot parse file {folder / INDEX}: {why}. It is damaged; copy the SavedModel again, or save it again."
    )


def _model(folder: Path) -> dict:
    file = folder / INDEX
    if not file.exists():
        if (folder / "saved_model.pbtxt").exists():
            raise NotImplementedError(
                f"{folder} is a SavedModel of TensorFlow in the form of a text (saved_model.pbtxt), which tapeflow "
                "does not read. Have TensorFlow save it again, as saved_model.pb."
            )
        raise OSError(f"SavedModel file does not exist at: {file}")
    try:
        model = _without_checksum(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise cannot_parse(folder, str(error)) from None
    if not isinstance(model, dict) or model.get("format") != _FORMAT:
        raise ValueError(f"{file} is not a saved model of tapeflow.")
    if model.get("version") != _VERSION:
        raise ValueError(
            f"The SavedModel in {folder} has version {model.get('version')} of the format, and this tapeflow reads "
            f"version {_VERSION}. Load it with the tapeflow that wrote it, or a newer one."
        )
    return model
