"""Event files: records with their checksums, written when enough of them wait, or enough time has passed."""

import struct
import time

import pytest

import tapeflow as tf

pytest.importorskip("tensorboardX", reason="the extra `tensorboard` is not installed")
from tapeflow.summary.event_files import EventFile
from tapeflow.summary.protos import messages

HOUR = 3_600_000


def crc32c(data):
    """Bit by bit, by its polynomial."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def events(path):
    with open(path, "rb") as file:
        while head := file.read(8):
            (size,) = struct.unpack("<Q", head)
            assert struct.unpack("<I", file.read(4))[0] == crc32c(head)
            data = file.read(size)
            assert struct.unpack("<I", file.read(4))[0] == crc32c(data)
            yield messages().Event.FromString(data)


def steps(file):
    return [e.step for e in events(file.path)][1:]


def test_records_and_checksums(tmp_path):
    file = EventFile(tmp_path / "new" / "folder", 10, HOUR, ".v2")
    assert file.path.endswith(".v2")
    (first,) = events(file.path)
    assert first.file_version == "brain.Event:2" and abs(first.wall_time - time.time()) < 60
    file.add(step=7)
    file.close()
    assert steps(file) == [7]
    file.close()  # once more


def test_a_full_queue_is_written(tmp_path):
    file = EventFile(tmp_path, 2, HOUR, "")
    file.add(step=1), file.add(step=2)
    assert steps(file) == []
    file.add(step=3)
    assert steps(file) == [1, 2, 3]
    file.add(step=4), file.flush()
    assert steps(file) == [1, 2, 3, 4]
    file.close()


def test_time_writes_too(tmp_path):
    file = EventFile(tmp_path, 1000, 10, "")
    file.add(step=1)
    until = time.monotonic() + 30
    while not steps(file) and time.monotonic() < until:
        time.sleep(0.01)
    assert steps(file) == [1]
    file.close()


def test_two_files_of_one_moment_and_a_file_in_the_way(tmp_path):
    paths = {EventFile(tmp_path, 10, HOUR, "").path for _ in range(3)}
    assert len(paths) == 3
    in_the_way = tmp_path / "file"
    in_the_way.write_text("mine")
    with pytest.raises(tf.errors.FailedPreconditionError, match="is a file; it is left as it is"):
        EventFile(in_the_way, 10, HOUR, "")
    assert in_the_way.read_text() == "mine"
