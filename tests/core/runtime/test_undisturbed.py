"""Code that Ctrl-C does not cut."""

import _imp
import _thread
import signal
import subprocess
import sys
import threading
import time

import pytest

from tapeflow.core.runtime.undisturbed import loaded, undisturbed


def test_results_and_errors_come_back():
    assert undisturbed(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        undisturbed(lambda: 1 / 0)


def test_an_interrupt_waits_until_the_end():
    done = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have it ignored
    try:
        threading.Timer(0.01, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            undisturbed(lambda: (time.sleep(0.1), done.append(True)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done


def test_the_lock_of_imports_is_not_waited_for():
    _imp.acquire_lock()  # an import that was cut
    _imp.acquire_lock()
    assert undisturbed(lambda: loaded("this").s)
    assert not _imp.lock_held()


def test_the_lock_of_imports_that_another_thread_has_stays():
    taken, over = threading.Event(), threading.Event()

    def hold():
        _imp.acquire_lock()
        taken.set()
        over.wait()
        _imp.release_lock()

    other = threading.Thread(target=hold)
    other.start()
    taken.wait()
    try:
        assert undisturbed(lambda: 1) == 1
        assert _imp.lock_held()
    finally:
        over.set()
        other.join()


def test_a_module_is_loaded_once():
    program = """
import sys
from tapeflow.core.runtime.undisturbed import loaded
assert loaded("fractions") is sys.modules["fractions"] is loaded("fractions")
try:
    loaded("no_such_module")
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "No module named 'no_such_module'\n", done.stderr
