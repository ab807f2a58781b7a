"""What a tape writes down, operation by operation."""

import tapeflow as tf
from tapeflow.core.frames import current, entered
from tapeflow.tape.recording import Pause, Recording


def recorded(program, *watched, accessed=True):
    recording = Recording(accessed)
    for x in watched:
        recording.watch(x)
    with entered(current().watched_by(recording)):
        program()
    return recording


def test_only_what_depends_on_something_watched():
    x, other = tf.constant(2.0), tf.constant(3.0)
    recording = recorded(lambda: (tf.sin(other) * other, tf.exp(tf.sin(x)) * other), x)
    assert len(recording.records) == 3 and recording.watches_only({x.serial}) and not recording.watches_only(set())
    assert recording.records[0][1] == x.serial


def test_variables_are_watched_by_being_read():
    v, constant = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    recording = recorded(lambda: v * constant)
    assert list(recording.variables.values()) == [v] and len(recording.records) == 1
    assert not recorded(lambda: v * 1.0, accessed=False).records


def test_where_paths_end_is_noted_with_the_line():
    x = tf.constant(2.5)
    recording = recorded(lambda: tf.round(x), x)
    (note,) = recording.notes
    assert (note.tensor, note.reason) == (x.serial, "op round") and "test_recording.py" in note.line
    assert not recording.records and len(note.made) == 1


def test_a_pause_records_nothing_and_says_what_passed():
    x, recording = tf.constant(2.0), Recording(True)
    recording.watch(x)
    with entered(current().watched_by(Pause(recording))):
        tf.sin(x)
    assert not recording.records and [n.reason for n in recording.notes] == ["op stop_recording"]


def test_a_spent_tape_lets_go():
    x = tf.constant(2.0)
    recording = recorded(lambda: tf.sin(x), x)
    recording.spend()
    assert recording.spent and not recording.records and x.serial in recording.watched


def test_several_outputs_are_one_record():
    x = tf.constant([3.0, 1.0, 2.0])
    values, indices = [], []
    recording = recorded(lambda: [a.append(b) for a, b in zip((values, indices), tf.math.top_k(x, 2))], x)
    ids = recording.records[0][3].ids
    assert len(ids) == 2 and ids[0] == values[0].serial and ids[1] == 0  # places have no gradient
