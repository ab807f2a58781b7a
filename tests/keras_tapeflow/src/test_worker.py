"""The thread that callbacks run in: in order, with their errors, and gone when nobody needs it."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import tapeflow as tf
from keras_tapeflow.src.worker import Worker


def test_calls_are_made_in_order_by_another_thread():
    worker, seen = Worker(), []
    pending = [worker.submit(lambda k: seen.append((k, threading.get_ident())), k) for k in range(200)]
    for each in pending:
        each.result()
        each.result()  # asked twice, as after an interrupt
    assert [k for k, _ in seen] == list(range(200)) and all(each.done() for each in pending)
    assert len({thread for _, thread in seen}) == 1 and seen[0][1] != threading.get_ident()


def test_errors_are_raised_where_they_are_waited_for():
    worker = Worker()
    failed, held = worker.submit(int, "x"), worker.submit(int, "1")
    with pytest.raises(ValueError, match="invalid literal"):
        failed.result()
    assert held.result() is None


@pytest.mark.parametrize("how", ["dropped", "shut down"])
def test_the_thread_ends(how):
    class Held:
        def act(self):
            pass

    worker, held = Worker(), Held()
    alive = weakref.ref(held)
    worker.submit(held.act).result()
    del held
    deadline = time.monotonic() + 20
    while alive() is not None and time.monotonic() < deadline:  # its last call is let go
        time.sleep(0.001)
    assert alive() is None
    calls = weakref.ref(worker._calls)  # which the thread has, too, as long as it lives
    if how == "shut down":
        worker.shutdown()
    del worker
    while calls() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.001)
    assert calls() is None


def test_fit_has_no_pool_of_threads():
    """Interrupted, it could break the standard library's Condition, and wait for ever."""
    keras = tf.keras
    model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    names = []

    class Look(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            names.extend(thread.name for thread in threading.enumerate())

    for verbose in (0, 1):
        model.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=4, verbose=verbose, epochs=2, callbacks=[Look()])
        assert len(model.history.history["loss"]) == 2
    model.evaluate(np.ones((8, 2)), np.ones((8, 1)), verbose=0, callbacks=[Look()])
    assert names and not [name for name in names if "Pool" in name]
