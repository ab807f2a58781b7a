"""Listeners hear what happens in their own thread or task, or everywhere, and leave nothing behind."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import tapeflow as tf
from tapeflow.core.frames import current
from tapeflow.core.listeners import Listener, board
from tests.interrupting import interrupted_everywhere


class Hearing(Listener):
    """Writes down what it hears."""

    def __init__(self):
        self.heard = []

    def tape_opened(self, tape):
        self.heard.append("opened")

    def tape_watches(self, tape, value):
        self.heard.append("watches")

    def before_walk(self, tape, records):
        self.heard.append(f"{len(records)} records")
        return records

    def after_walk(self, tape, sources, gradients):
        self.heard.append(f"{len(gradients)} gradients")

    def before_run(self, function):
        self.heard.append(f"runs {function.name}")


def square(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def in_thread(function, *args):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *args).result()


@pytest.fixture(autouse=True)
def left_clean():
    yield
    gc.collect()  # an exception may hold what it passed
    assert not board.listeners() and not board.seats and not current().observers


@pytest.fixture
def here():
    listener = Hearing()
    board.set_here((listener,))
    yield listener
    board.set_here(())


@pytest.fixture
def everywhere():
    listener = Hearing()
    board.put_everywhere(listener)
    yield listener
    board.take_off(listener)


SQUARE = ["opened", "watches", "1 records", "1 gradients"]


def test_what_there_is_to_hear(here):
    square(tf.constant(3.0))
    assert here.heard == SQUARE
    here.heard.clear()
    tf.function(lambda x: x + 1.0)(tf.constant(3.0))
    assert here.heard == ["runs <lambda>"]


def test_other_threads_are_heard_everywhere_only(here, everywhere):
    in_thread(square, tf.constant(3.0))
    assert (here.heard, everywhere.heard) == ([], SQUARE)


def test_what_nobody_overrides_is_heard_in_silence():
    listener = Listener()
    board.set_here((listener,))
    try:
        assert float(square(tf.constant(3.0))) == 6.0
        assert board.graph_keys() == () and board.after_nodes() is None
    finally:
        board.set_here(())


def test_who_has_a_part_in_graphs_has_traces_of_its_own(here):
    f = tf.function(lambda x: x + 1.0)
    x = tf.constant(1.0)
    f(x)
    here.graph_key = -1
    f(x)
    assert f.experimental_get_tracing_count() == 2
    in_thread(f, x)
    assert f.experimental_get_tracing_count() == 2, "another thread has the trace without it"


# ---- tf.debugging: of each thread and task


def explains():
    """Does a tape here know the line of what was made before it opened?"""
    a = tf.constant(1.0) * 2.0
    with tf.GradientTape() as tape:
        y = a * a
    return bool(tape.explain(y, a)[0].where)


def refuses():
    """Is an infinity refused: eagerly, inside a function?"""
    return refused(tf.math.log), refused(tf.function(tf.math.log))


def refused(log):
    try:
        log(tf.constant(0.0))
    except tf.errors.InvalidArgumentError:
        return True
    return False


SWITCHES = {
    "explain_gradients": (tf.debugging.explain_gradients, explains, True, False),
    "enable_check_numerics": (tf.debugging.enable_check_numerics, refuses, (True, True), (False, False)),
}
each_switch = pytest.mark.parametrize(("switch", "seen", "on", "off"), SWITCHES.values(), ids=SWITCHES)


@each_switch
def test_a_switch_is_of_its_thread(switch, seen, on, off):
    """A provenance used to hear the tapes of all threads, and inside functions all threads were checked. Checked in
    both directions, and with a thread that ran before."""
    with ThreadPoolExecutor(1) as other:
        assert other.submit(seen).result() == off
        with switch():
            assert seen() == on and other.submit(seen).result() == off
            assert in_thread(seen) == off, "a new thread begins without"
        inside = other.submit(switch)
        inside.result()
        assert other.submit(seen).result() == on and seen() == off
        other.submit(inside.result().__exit__).result()
        assert other.submit(seen).result() == off


@each_switch
def test_two_threads_at_once(switch, seen, on, off):
    both, found = threading.Barrier(2, timeout=60), {}

    def watched():
        with switch():
            both.wait()
            found["watched"] = seen()
            both.wait()

    def plain():
        both.wait()
        found["plain"] = seen()
        both.wait()

    threads = [threading.Thread(target=f) for f in (watched, plain)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"watched": on, "plain": off}


@each_switch
def test_a_switch_is_of_its_task(switch, seen, on, off):
    async def watched():
        with switch():
            await asyncio.sleep(0)
            first = seen()
            await asyncio.sleep(0)
            return first, await asyncio.create_task(later())

    async def later():
        return seen()

    async def plain():
        found = []
        for _ in range(4):
            found.append(seen())
            await asyncio.sleep(0)
        return found

    async def main():
        return await asyncio.gather(watched(), plain())

    assert asyncio.run(main()) == [(on, on), [off] * 4], "a task has what it was started with, and no other"


@each_switch
def test_a_task_that_outlives_the_block_it_was_started_in(switch, seen, on, off):
    async def later(over):
        await over.wait()
        return seen()

    async def main():
        over = asyncio.Event()
        with switch():
            task = asyncio.create_task(later(over))
            await asyncio.sleep(0)
        found = seen()
        over.set()
        return found, await task

    assert asyncio.run(main()) == (off, on)


@each_switch
def test_nested_switches_restore_what_was_before(switch, seen, on, off):
    with switch():
        with switch():
            assert seen() == on
        assert seen() == on
        with pytest.raises(ZeroDivisionError), switch():
            _ = 1 // 0
        assert seen() == on
    assert seen() == off


def test_off_inside_on():
    with tf.debugging.explain_gradients():
        with tf.debugging.explain_gradients(False):
            assert not explains()
        assert explains()


def test_both_kinds_side_by_side():
    with tf.debugging.explain_gradients():
        with tf.debugging.enable_check_numerics():
            assert explains() and refuses() == (True, True)
        assert explains() and refuses() == (False, False)


@each_switch
def test_inside_a_function_that_is_traced(switch, seen, on, off):
    """It used to end the one outside."""

    @tf.function
    def f(x):
        with switch():
            return x * 2.0

    with switch():
        f(tf.constant(1.0))
        assert seen() == on
        observers = current().observers
        assert len(observers) == 1
    f(tf.constant([1.0]))
    assert seen() == off


def test_a_frame_that_is_left_takes_no_listener_along():
    """Switched on inside a block that ends, it used to stay on for tapes, and nothing switched it off again."""
    with tf.device("CPU:0"):
        tf.debugging.explain_gradients()
    tf.debugging.explain_gradients(False)
    assert not board.listeners()


@each_switch
def test_ctrl_c_leaves_nothing_behind(switch, seen, on, off):
    def step():
        with switch(), switch():
            pass

    for where in interrupted_everywhere(step):
        assert not board.listeners() and not current().observers, where


def test_ctrl_c_leaves_no_monitor_behind():
    monitor = tf.debugging.GradientMonitor  # (imported here)

    def step():
        with monitor(terminal=False):
            pass

    for where in interrupted_everywhere(step):
        assert not board.listeners(), where
