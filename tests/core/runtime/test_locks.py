"""Whoever is interrupted while he takes a lock does not keep it."""

import sys
import threading

import pytest

from tapeflow.core.runtime.locks import Lock, _Returned
from tests.interrupting import interrupted_everywhere


def free(lock):
    """Can another thread have it?"""
    found = []
    thread = threading.Thread(target=lambda: found.append(lock.acquire(timeout=5)))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("kind", [Lock, _Returned])
def test_a_lock(kind):
    lock = kind()
    with lock, lock:
        pass
    with pytest.raises(ZeroDivisionError), lock:
        raise ZeroDivisionError
    assert free(lock)


def test_interrupted_anywhere_while_it_is_taken():
    locks = []

    def act():
        locks.append(_Returned())
        with locks[-1]:
            pass

    for _ in interrupted_everywhere(act):
        pass
    assert len(locks) > 1 or sys.version_info >= (3, 12)  # whose trace functions see nothing of a `with`
    assert all(map(free, locks))
