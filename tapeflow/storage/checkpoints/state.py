"""The file `checkpoint` of a folder: which checkpoint is the latest, and which others there are. TensorFlow's text,
read and written."""

import glob
import logging
import os
import re
from dataclasses import dataclass, field
from typing import Any

from tapeflow.storage.whole_files import replacing

from .storage import SUFFIX

__all__ = [
    "CheckpointState",
    "checkpoint_exists",
    "get_checkpoint_state",
    "latest_checkpoint",
    "update_checkpoint_state",
]

_log = logging.getLogger("tapeflow")


@dataclass
class CheckpointState:
    """What a folder's `checkpoint` file says; printed as it is written.

    >>> from tapeflow.storage.checkpoints.state import CheckpointState
    >>> print(CheckpointState("ckpt-2", ["ckpt-1", "ckpt-2"]))
    model_checkpoint_path: "ckpt-2"
    all_model_checkpoint_paths: "ckpt-1"
    all_model_checkpoint_paths: "ckpt-2"
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def __str__(self) -> str:
        lines = [f"model_checkpoint_path: {_quoted(self.model_checkpoint_path)}"]
        lines += [f"all_model_checkpoint_paths: {_quoted(path)}" for path in self.all_model_checkpoint_paths]
        lines += [f"all_model_checkpoint_timestamps: {time!r}" for time in self.all_model_checkpoint_timestamps]
        lines += [f"last_preserved_timestamp: {self.last_preserved_timestamp!r}"] * bool(self.last_preserved_timestamp)
        return "\n".join(lines) + "\n"

    __repr__ = __str__


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> CheckpointState | None:
    """What the folder's `checkpoint` file says, with whole paths; None where there is none or it cannot be read.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(step=tf.Variable(1)).save(folder + "/ckpt")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == path
    True
    """
    folder = os.fsdecode(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            state = _parsed(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        _log.warning("%s: %s", type(error).__name__, error)
        _log.warning("%s: Checkpoint ignored", path)
        return None
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [os.path.join(folder, path) for path in state.all_model_checkpoint_paths]
    return state


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The path to give to `restore`, of the newest checkpoint in a folder; None where there is none.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.latest_checkpoint(folder)
    >>> _ = tf.train.Checkpoint(step=tf.Variable(1)).save(folder + "/ckpt")
    >>> os.path.basename(tf.train.latest_checkpoint(folder))
    'ckpt-1'
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    _log.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def update_checkpoint_state(folder: str, state: CheckpointState, latest_filename: str | None = None) -> None:
    """Writes the file, with paths inside the folder relative to it: the folder can be moved."""
    relative = lambda path: _inside(path, folder)
    written = CheckpointState(
        relative(state.model_checkpoint_path),
        [relative(path) for path in state.all_model_checkpoint_paths],
        state.all_model_checkpoint_timestamps,
        state.last_preserved_timestamp,
    )
    with replacing(os.path.join(folder, latest_filename or "checkpoint")) as file:
        file.write(str(written).encode("utf-8", "surrogateescape"))


def checkpoint_exists(prefix: str) -> bool:
    """Is there a checkpoint, ours or TensorFlow's, under this path?"""
    return os.path.exists(prefix + SUFFIX) or os.path.exists(prefix + ".index")


def checkpoint_files(prefix: str) -> list[str]:
    """All files of a checkpoint, ours or TensorFlow's; its index, without which it does not exist, first."""
    ours = [path for path in (prefix + SUFFIX, prefix + ".index") if os.path.exists(path)]
    return ours + sorted(glob.glob(glob.escape(prefix) + ".data-[0-9]*-of-[0-9]*"))


def is_inside(path: str, folder: str) -> bool:
    """Does the path lead to somewhere below the folder?"""
    return os.path.relpath(path, folder or ".").split(os.sep)[0] != os.pardir


def _inside(path: str, folder: str) -> str:
    return os.path.relpath(path, folder or ".") if is_inside(path, folder) else os.path.abspath(path)


# ---- the text

_LINE = re.compile(r'\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([-+.\w]+))')
_ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", '"': b'"', "'": b"'", "\\": b"\\"}


def _parsed(text: str) -> CheckpointState:
    state = CheckpointState()
    place = 0
    while text[place:].strip():
        line = _LINE.match(text, place)
        if (
            line is None
            or line[1] not in CheckpointState.__dataclass_fields__
            or (line[2] is None) != line[1].endswith(("timestamp", "timestamps"))
        ):
            raise ValueError(
                f"this is not a line of a checkpoint state file: {text[place:].strip().splitlines()[0]!r}"
            )
        value: Any = float(line[3]) if line[2] is None else _unquoted(line[2])
        if isinstance(getattr(state, line[1]), list):
            getattr(state, line[1]).append(value)
        else:
            setattr(state, line[1], value)
        place = line.end()
    if not state.model_checkpoint_path:
        raise ValueError("no `model_checkpoint_path`")
    return state


def _quoted(text: str) -> str:
    """Quotes, backslashes and line ends are escaped; everything else is itself, in UTF-8."""
    return '"' + re.sub(r'["\\]', r"\\\g<0>", text).replace("\n", r"\n").replace("\r", r"\r") + '"'


def _unquoted(text: str) -> str:
    """Also of TensorFlow's text, which writes other letters than ASCII's as octal bytes."""
    parts = re.split(r"\\([0-7]{1,3}|.)", text)
    encoded = [part.encode("utf-8", "surrogateescape") for part in parts]
    for place, code in list(enumerate(parts))[1::2]:
        encoded[place] = bytes([int(code, 8)]) if code[0] in "01234567" else _ESCAPES.get(code, code.encode())
    return b"".join(encoded).decode("utf-8", "surrogateescape")
