"""Parallel map, prefetch and interleave: real threads, that end with their iterator and pass errors on."""

import gc
import os
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset


def values(ds):
    return [v.tolist() if hasattr(v, "tolist") else v for v in ds.as_numpy_iterator()]


def ours():
    return [t for t in threading.enumerate() if t.name.startswith("tapeflow")]


def gone():
    """Have all threads ended, or do so soon?"""
    gc.collect()
    for _ in range(200):
        if not ours():
            return True
        time.sleep(0.01)
    return False


def slowly(x):
    time.sleep(0.01)
    return x * 2


@pytest.mark.parametrize("calls", [1, 4, tf.data.AUTOTUNE])
def test_parallel_map_keeps_the_order(calls):
    seen = set()

    def f(x):
        seen.add(threading.current_thread().name)
        time.sleep(0.002 * (3 - int(x) % 4))
        return x * 2

    assert values(DS.range(20).map(f, num_parallel_calls=calls)) == list(range(0, 40, 2))
    assert len(seen) > 1 or calls == 1
    assert gone()


def test_calls_overlap():
    active, most = [], []

    def f(x):
        active.append(1)
        most.append(len(active))
        time.sleep(0.01)
        active.pop()
        return x

    assert len(values(DS.range(30).map(f, num_parallel_calls=5))) == 30
    assert 2 <= max(most) <= 5


def test_order_may_be_given_up():
    def f(x):
        time.sleep(0.2 if int(x) == 2 else 0.001)
        return x

    found = values(DS.range(12).map(f, num_parallel_calls=4, deterministic=False))
    assert sorted(found) == list(range(12)) and found.index(2) > 3
    options = tf.data.Options()
    options.deterministic = False
    assert sorted(values(DS.range(12).with_options(options).map(f, num_parallel_calls=4))) == list(range(12))


def test_functions_that_take_no_time_are_called_here():
    def all_here():
        names = set()
        ds = DS.range(200).map(
            lambda x: names.add(threading.current_thread().name) or x, num_parallel_calls=tf.data.AUTOTUNE
        )
        assert values(ds) == list(range(200))
        return names == {threading.current_thread().name}

    assert any(all_here() for _ in range(3))  # a busy machine may make the first calls look slow


def test_prefetch_reads_ahead_but_not_too_far():
    made = []
    it = iter(DS.range(100).map(lambda x: made.append(int(x)) or x).prefetch(3))
    assert made == []  # nothing before the first element is asked for
    assert int(next(it)) == 0
    time.sleep(0.05)
    assert 2 <= len(made) <= 5
    del it
    assert gone()


@pytest.mark.parametrize(
    "make",
    [
        lambda: DS.range(100).prefetch(2),
        lambda: DS.range(10**6).map(slowly, num_parallel_calls=4),
        lambda: DS.range(10**6).map(slowly, num_parallel_calls=4).prefetch(2).batch(2).prefetch(2),
        lambda: DS.range(9).interleave(lambda x: DS.range(10**6), cycle_length=3, num_parallel_calls=3),
        lambda: DS.from_generator(lambda: iter(int, 1), tf.int32).repeat().prefetch(1),
    ],
)
def test_no_thread_survives_its_iterator(make):
    it = iter(make())
    for _ in range(4):
        next(it)
    assert ours()
    del it
    assert gone()


def test_no_thread_survives_a_loop_that_is_left():
    for x in DS.range(1000).prefetch(2):
        if int(x) == 3:
            break
    del x
    assert gone()


def fails_at_three(x):
    if int(x) == 3:
        raise KeyError("three")
    return x


@pytest.mark.parametrize(
    "make",
    [
        lambda: DS.range(6).map(fails_at_three),
        lambda: DS.range(6).map(lambda x: fails_at_three(slowly(x) // 2), num_parallel_calls=2),
        lambda: DS.range(6).map(fails_at_three).prefetch(2),
        lambda: DS.range(6).map(lambda x: fails_at_three(slowly(x) // 2), num_parallel_calls=2).prefetch(2),
    ],
)
def test_errors_surface_in_their_place_with_the_frames_of_the_function(make):
    it = iter(make())
    assert [int(next(it)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="three") as info:
        next(it)
    assert "fails_at_three" in [frame.name for frame in traceback.extract_tb(info.value.__traceback__)]
    assert [int(x) for x in it] == [4, 5]  # the error took the place of one element
    assert values(make().ignore_errors()) == [0, 1, 2, 4, 5]


def test_an_error_when_the_iteration_begins():
    def begin():
        raise OSError("no such thing")

    with pytest.raises(OSError, match="no such thing"):
        next(iter(DS.from_generator(begin, tf.int32).prefetch(1)))
    assert gone()


def test_random_numbers_do_not_depend_on_threads():
    def drawn(**how):
        tf.random.set_seed(5)
        ds = DS.range(12).map(lambda x: (slowly(x), tf.random.uniform([]), tf.random.uniform([], seed=3)), **how)
        return [(float(a), float(b)) for _, a, b in ds], [(float(a), float(b)) for _, a, b in ds]

    first, second = drawn()
    assert drawn(num_parallel_calls=4) == (first, second)
    assert first != second and len(set(first)) == 12  # another draw for every element, in every iteration
    tf.random.set_seed(None)


def test_a_pipeline_does_not_disturb_the_random_numbers_outside():
    def outside(ds):
        tf.random.set_seed(5)
        made = ds(DS.range(50).map(lambda x: tf.random.uniform([])))
        return [float(tf.random.uniform([])) for _ in made]

    assert outside(lambda ds: ds) == outside(lambda ds: ds.prefetch(7))
    tf.random.set_seed(None)


def test_interleave_in_parallel_gives_the_same():
    ds = lambda **how: values(DS.range(1, 6).interleave(lambda x: DS.from_tensors(x).repeat(x + 1), 2, 3, **how))
    assert ds() == ds(num_parallel_calls=2) == ds(num_parallel_calls=tf.data.AUTOTUNE)
    assert gone()


def test_what_functions_see_is_eager_and_watched_by_nobody():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        (z,) = DS.from_tensors(2.0).map(lambda x: x * v, num_parallel_calls=2).prefetch(1)
        y = z * 5.0
    assert float(y) == 30.0 and tape.gradient(y, v) is None
    assert tape.watched_variables() == ()


def test_numbers_and_arrays_in_many_threads():
    x = np.arange(2000.0, dtype=np.float32).reshape(500, 4)
    ds = (
        DS.from_tensor_slices(x)
        .shuffle(500, seed=1)
        .map(lambda r: tf.reduce_sum(r), num_parallel_calls=4)
        .batch(50)
        .prefetch(2)
    )
    assert sorted(np.concatenate(list(ds.as_numpy_iterator())).tolist()) == x.sum(1).tolist()


@pytest.mark.skipif(os.name == "nt", reason="there a program cannot press Ctrl-C for itself alone")
def test_interrupts_come_through():
    # Ctrl-C while the main thread waits for an element, and again none of our threads keeps the program alive
    program = """
import os, signal, threading, time
import tapeflow as tf
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have it ignored
slow = lambda x: time.sleep(0.01 if int(x) < 4 else 60) or x
ds = tf.data.Dataset.range(9).map(slow, num_parallel_calls=2).prefetch(2)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    for x in ds:
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert done.stdout == "interrupted\n", done.stderr
    assert done.returncode == 0 and time.perf_counter() - begun < 25


def _shared(dataset):
    """What four threads get from one iterator."""
    iterator, found = iter(dataset), []
    threads = [threading.Thread(target=lambda: found.extend(int(x) for x in iterator), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    return sorted(found)


@pytest.mark.parametrize(
    "change",
    [
        lambda ds: ds,
        lambda ds: ds.map(lambda x: x),
        lambda ds: ds.prefetch(2),
        lambda ds: ds.map(lambda x: (time.sleep(0.0005), x)[1], num_parallel_calls=2).prefetch(2),
        lambda ds: DS.from_generator(lambda: iter(range(200)), tf.int64),
    ],
)
def test_threads_share_an_iterator(change):
    assert _shared(change(DS.range(200))) == list(range(200))
