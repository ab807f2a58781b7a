"""Programs change the interpreter they run in (`sys.argv`, `sys.path`, `__main__`, what `tensorflow` is); here it is
put back."""

import logging
import multiprocessing.spawn
import sys

import pytest

from tapeflow.programs import stand_in

collect_ignore_glob = ["corpus/*"]  # they are to be run, not imported in the search for examples


@pytest.fixture
def interpreter(monkeypatch):
    """A place to run programs in."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)  # pytest has its own
    monkeypatch.setattr(multiprocessing.spawn, "get_command_line", multiprocessing.spawn.get_command_line)
    main, level = sys.modules["__main__"], logging.getLogger("tapeflow").level
    yield
    sys.modules["__main__"] = main
    logging.getLogger("tapeflow").setLevel(level)
    stand_in.uninstall()
    multiprocessing.set_forkserver_preload(["__main__"])  # Python's own
    if "keras" in sys.modules:
        from keras.src.backend.common import global_state

        global_state.set_global_attribute("dtype_policy", None)  # follow floatx again
        sys.modules["keras"].config.set_floatx("float32")


@pytest.fixture
def installed(interpreter):
    """`import tensorflow` gives tapeflow."""
    stand_in.install()
