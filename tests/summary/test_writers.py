"""Writers, steps and conditions."""

import gc
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tapeflow as tf

from .reading import read, tags, values


def files(directory):
    return sorted(p.name for p in directory.glob("events.out.tfevents.*"))


def test_without_a_writer_nothing_happens(tmp_path):
    assert tf.summary.scalar("x", 1.0).numpy() == np.False_  # not even a step is asked for
    assert not tf.summary.should_record_summaries()
    assert not tf.summary.image("x", "not an image") and not tf.summary.text("x", 3)
    tf.summary.flush()


def test_one_file_for_each_writer(tmp_path):
    writers = [tf.summary.create_file_writer(tmp_path / "new" / "deep", filename_suffix=".mine") for _ in range(2)]
    for k, writer in enumerate(writers):
        with writer.as_default(step=k):
            tf.summary.scalar("x", k)
        writer.close()
    names = files(tmp_path / "new" / "deep")
    assert len(names) == 2 and all(name.endswith(".mine") for name in names)
    assert read(tmp_path / "new" / "deep").file_version == 2.0
    other = tf.summary.create_file_writer(str(tmp_path))
    other.close()
    assert files(tmp_path)[0].endswith(".v2")


def test_a_file_in_the_place_of_the_directory_is_left_alone(tmp_path):
    path = tmp_path / "precious"
    path.write_text("keep")
    with pytest.raises(tf.errors.FailedPreconditionError, match="is a file"):
        tf.summary.create_file_writer(str(path))
    assert path.read_text() == "keep"
    with pytest.raises(ValueError, match="logdir"):
        tf.summary.create_file_writer(None)


def test_steps(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    step = tf.Variable(0, dtype=tf.int64)
    with writer.as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("x", 1.0)
        for wrong in (1.5, "s"):
            with pytest.raises(TypeError, match="int64"):
                tf.summary.scalar("x", 1.0, step=wrong)
        with pytest.raises(ValueError, match="whole number"):
            tf.summary.scalar("x", 1.0, step=tf.constant([1, 2]))
        tf.summary.experimental.set_step(step)
        try:
            for k in range(3):
                step.assign(10 * k)
                tf.summary.scalar("x", float(k))
            assert tf.summary.experimental.get_step() is step
            with writer.as_default(step=7):
                assert tf.summary.experimental.get_step() == 7
                tf.summary.scalar("x", 7.0)
            assert tf.summary.experimental.get_step() is step
        finally:
            tf.summary.experimental.set_step(None)
    assert values(tmp_path, "x") == {0: 0, 10: 1, 20: 2, 7: 7}
    writer.close()


def test_record_if(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        for k in range(6):
            with tf.summary.record_if(lambda k=k: k % 2 == 0):
                assert bool(tf.summary.scalar("function", k, step=k)) == (k % 2 == 0)
            with tf.summary.record_if(tf.constant(k > 3)):
                tf.summary.scalar("tensor", k, step=k)
            with tf.summary.record_if(False):
                assert not tf.summary.should_record_summaries()
                tf.summary.scalar("never", k)  # without a step
    assert list(values(tmp_path, "function")) == [0, 2, 4]
    assert list(values(tmp_path, "tensor")) == [4, 5]
    assert "never" not in tags(tmp_path)
    writer.close()


def test_closed_writers(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.set_as_default()
    try:
        tf.summary.scalar("x", 1.0, step=0)
        assert tf.summary.flush() is None and list(values(tmp_path, "x")) == [0]
        assert writer.close() is None and writer.close() is None
        with pytest.raises(RuntimeError, match="already closed"):
            tf.summary.scalar("x", 1.0, step=1)
    finally:
        tf.summary.create_noop_writer().set_as_default()
    for use in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="already closed"):
            use()
    assert not tf.summary.scalar("x", 1.0, step=0)  # the writer that does nothing
    from tapeflow.summary.state import state

    state.writer = None


def test_the_default_writer_is_of_one_thread(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    seen = []
    with writer.as_default():
        thread = threading.Thread(target=lambda: seen.append(bool(tf.summary.should_record_summaries())))
        thread.start()
        thread.join()
    assert seen == [False]
    writer.close()


def test_many_threads_write_to_one_file(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=3)

    def work(k):
        with writer.as_default():
            for step in range(50):
                tf.summary.scalar(f"thread{k}", step, step=step)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    for k in range(4):
        assert list(values(tmp_path, f"thread{k}").values()) == list(range(50))


def test_the_queue_is_written_when_it_is_full_and_after_a_while(tmp_path):
    full = tf.summary.create_file_writer(str(tmp_path / "full"), max_queue=2)
    full.set_as_default()
    for step in range(2):
        tf.summary.scalar("x", 1.0, step=step)
    assert tags(tmp_path / "full") == set()
    tf.summary.scalar("x", 1.0, step=2)
    assert list(values(tmp_path / "full", "x")) == [0, 1, 2]
    late = tf.summary.create_file_writer(str(tmp_path / "late"), flush_millis=20)
    late.set_as_default()
    tf.summary.scalar("x", 1.0, step=0)
    for _ in range(100):
        if tags(tmp_path / "late"):
            break
        time.sleep(0.02)
    assert tags(tmp_path / "late") == {"x"}
    from tapeflow.summary.state import state

    state.writer = None
    full.close()
    late.close()


def test_a_writer_that_nobody_has_any_more_is_closed(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.set_as_default()
    tf.summary.scalar("x", 1.0, step=0)
    from tapeflow.summary.state import state

    state.writer = None
    del writer
    gc.collect()
    assert tags(tmp_path) == {"x"}


def test_at_the_end_of_the_program_all_is_written(tmp_path):
    program = f"""
import tapeflow as tf
tf.summary.create_file_writer({str(tmp_path)!r}).set_as_default(step=3)
tf.summary.scalar("x", 1.0)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    assert values(tmp_path, "x") == {3: 1.0}


def test_without_tensorboardX_the_error_says_what_to_install(tmp_path, monkeypatch):
    from tapeflow.summary import protos

    protos.messages.cache_clear()
    monkeypatch.setitem(sys.modules, "tensorboardX.proto", None)
    with pytest.raises(ImportError, match="pip install tensorboardX"):
        tf.summary.create_file_writer(str(tmp_path))
    assert files(tmp_path) == []
    monkeypatch.undo()
    protos.messages.cache_clear()
