"""Keys: one stream for the program, repeatable, replayable, and private to whoever replays it."""

import threading

import numpy as np
import pytest

from tapeflow.core import streams


@pytest.fixture(autouse=True)
def _seeded():
    streams.set_seed(1)
    yield
    streams.set_seed(None)


def keys(n, seed=None):
    return [tuple(streams.next_key(seed).tolist()) for _ in range(n)]


def test_no_two_keys_are_equal():
    drawn = keys(5) + keys(5, seed=0) + keys(5, seed=1) + keys(5, seed=-1)
    assert len(set(drawn)) == 20


def test_a_seed_starts_the_stream_again():
    first = keys(3) + keys(2, seed=7)
    streams.set_seed(1)
    assert keys(3) + keys(2, seed=7) == first
    streams.set_seed(2)
    assert not set(keys(3) + keys(2, seed=7)) & set(first)


def test_without_a_seed_streams_differ_but_not_those_of_seeded_operations():
    streams.set_seed(None)
    free, seeded = keys(2), keys(2, seed=7)
    streams.set_seed(None)
    assert keys(2) != free
    assert keys(2, seed=7) == seeded


def test_seeds_of_any_size():
    assert len({streams.word(v) for v in (0, 1, -1, 2**63, 2**64, 2**70, 2**70 + 1)}) >= 6
    assert all(0 <= streams.word(v) < 2**64 for v in (-(2**100), 2**100))


def test_replay():
    keys(2)
    replay = streams.snapshot()
    first = keys(3)
    with replay():
        assert keys(3) == first
        with streams.snapshot()():  # one inside the other: goes on from here
            inner = keys(1)
        assert keys(1) == inner
    with replay():
        assert keys(3) == first
    assert not set(keys(3)) & set(first)  # the stream itself went on


def test_replay_is_private_to_its_thread():
    replay = streams.snapshot()
    seen = []
    with replay():
        thread = threading.Thread(target=lambda: seen.append(keys(1)[0]))
        thread.start()
        thread.join()
        mine = keys(1)[0]
    assert seen[0] == mine  # both were first: the program's stream did not move with the replayed one
    assert keys(1)[0] != mine


def test_generator_is_a_function_of_the_key():
    key = np.array([1, 2, 3, 4], np.uint64)
    first = streams.generator(key).standard_normal(5)
    streams.generator(key + np.uint64(1)).standard_normal(3, np.float32)  # leaves half a word behind
    np.testing.assert_array_equal(streams.generator(key).standard_normal(5), first)
    for k in range(4):
        other = key.copy()
        other[k] += np.uint64(1)
        assert (streams.generator(other).standard_normal(5) != first).all()
