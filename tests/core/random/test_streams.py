"""Keys: one stream for the program, repeatable, replayable, and private to whoever replays it."""

import sys
import threading

import numpy as np
import pytest

from tapeflow.core.random import streams


@pytest.fixture(autouse=True)
def _seeded():
    streams.set_seed(1)
    yield
    streams.set_seed(None)


def keys(n, seed=None):
    return [tuple(streams.next_key(streams.Draw(seed)).tolist()) for _ in range(n)]


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
    drawn = [keys(1, v)[0] for v in (0, 1, -1, 2**40, 2**70 + 3)]
    assert len(set(drawn)) == 5 and all(0 <= w < 2**64 for key in drawn for w in key)


def test_the_program_and_the_operation_say_where_the_blocks_begin():
    streams.set_seed(7)
    assert keys(2, seed=5) == [(0, 5, 7), (256, 5, 7)]
    assert streams.next_key(streams.Draw(5, 3, "other")).tolist() == [0, 5, 7]  # each kind has its own counter
    streams.set_seed(None)
    assert keys(1, seed=5) == [(0, 5, 87654321)]


def test_an_operation_in_a_graph_has_its_own_counter():
    streams.set_seed(7)
    first, second = (streams.site(streams.Draw(), number) for number in (0, 1))
    draw = lambda site: streams.next_key(site).tolist()
    assert [draw(first), draw(first), draw(second)] == [[0, 0, 7], [256, 0, 7], [0, 1, 7]]
    streams.set_seed(7)
    assert draw(first) == [0, 0, 7]


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


def test_threads_get_different_keys():
    found = [[] for _ in range(8)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [
            threading.Thread(target=lambda k=k: found[k].extend(keys(100) + keys(100, seed=4))) for k in range(8)
        ]
        [t.start() for t in threads]
        [t.join() for t in threads]
    finally:
        sys.setswitchinterval(before)
    assert len({key for part in found for key in part}) == 1600


def test_a_pair_is_scrambled():
    assert streams.scrambled(np.array([1, 2], np.uint64)).tolist() == [
        0,
        17830669156045600267,
        10413732777507651514,
    ]  # TensorFlow's


def test_places_go_on_from_eager_draws_to_graphs():
    streams.set_seed(7)
    wanted, twin, unseeded = (
        streams.site(streams.Draw(3, 2), 0),
        streams.site(streams.Draw(3, 2), 0),
        streams.site(streams.Draw(None, 2), 0),
    )
    expected = [streams.next_key(s).tolist() for s in (wanted, twin, unseeded) * 2]
    streams.set_seed(7)
    places = streams.Places()
    with places.eagerly():
        found = [streams.next_key(d).tolist() for d in (streams.Draw(3, 2), streams.Draw(3, 2), streams.Draw(None, 2))]
    with places.traced():
        before = []
        for d in (streams.Draw(3, 2), streams.Draw(3, 2), streams.Draw(None, 2)):
            before.append(streams.shared(streams.site(d, 0), before))
    assert found + [streams.next_key(s).tolist() for s in before] == expected
    assert streams.shared(wanted, []) is wanted
