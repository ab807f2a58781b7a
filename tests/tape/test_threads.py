"""Tapes belong to the thread, and to the asyncio task, that entered them."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import tapeflow as tf


def gradient_of_square(value):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(50):
            y = y + x * x
    return float(tape.gradient(y, x))


def test_many_threads_at_once():
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(gradient_of_square, [float(i) for i in range(64)]))
    np.testing.assert_allclose(found, [1 + 100.0 * i for i in range(64)])


def test_a_thread_sees_nothing_of_its_parents_tape():
    x, out = tf.constant(3.0), {}
    with tf.GradientTape() as tape:
        tape.watch(x)
        thread = threading.Thread(target=lambda: out.update(y=x * x))
        thread.start()
        thread.join()
    assert tape.gradient(out["y"], x) is None


def test_tasks_do_not_record_each_other():
    x = tf.constant(3.0)

    async def taped():
        with tf.GradientTape() as tape:
            tape.watch(x)
            await asyncio.sleep(0)
            y = x * x
            await asyncio.sleep(0)
        return len(tape._recording.records), float(tape.gradient(y, x))

    async def other():
        for _ in range(4):
            _ = x * 7.0
            await asyncio.sleep(0)

    async def main():
        return await asyncio.gather(taped(), other(), taped())

    assert asyncio.run(main()) == [(1, 6.0), None, (1, 6.0)]


def test_no_update_of_a_variable_is_lost():
    v = tf.Variable(np.zeros(4, np.float32))

    def work():
        for _ in range(300):
            v.assign_add(tf.ones([4]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    np.testing.assert_array_equal(v, np.full(4, 1200.0))


def test_threads_may_ask_one_tape_for_what_a_map_computed():
    """Backward rules of the user's run inside the map once more, in each thread."""
    x = tf.constant(np.random.default_rng(0).normal(size=(5, 3)))
    square = tf.custom_gradient(lambda v: (v * v, lambda g: g * 2.0 * v))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.vmap(tf.vmap(square))(x)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: tape.gradient(y, x), range(200)))
    for g in found:
        np.testing.assert_allclose(g, 2 * x.numpy())
