"""Tests on a machine with eight devices: CPU devices of XLA in a process of its own, since their number is fixed once
XLA has begun.

One process serves all tests of a session that are marked `@on_eight_devices`; it is told which function to call.
"""

import functools
import importlib
import os
import queue
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

COUNT = 8
SECONDS = 300  # for one test, on a busy machine
_FLAGS = f"--xla_force_host_platform_device_count={COUNT} --xla_cpu_collective_call_terminate_timeout_seconds=200"
_END = "-- end of the test"


def on_eight_devices(test: Callable) -> Callable:
    """The test, called in the process with eight devices. It takes no fixtures."""

    @functools.wraps(test)
    def called() -> None:
        said = _Child.get().call(f"{test.__module__}:{test.__qualname__}")
        if said:
            raise AssertionError(said)

    del called.__wrapped__  # whose arguments pytest would look at
    called.on_eight_devices = test
    return called


class _Child:
    now: "_Child | None" = None

    @classmethod
    def get(cls) -> "_Child":
        if cls.now is None or cls.now.process.poll() is not None:
            cls.now = cls()
        return cls.now

    def __init__(self) -> None:
        flags = f"{_FLAGS} {os.environ.get('XLA_FLAGS', '')}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.several_devices"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8", cwd=Path(__file__).parent.parent,
            env=os.environ | {"XLA_FLAGS": flags, "KERAS_BACKEND": "tapeflow", "JAX_PLATFORMS": "cpu"},
        )  # fmt: skip
        self.lines: queue.SimpleQueue = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def call(self, name: str) -> str:
        """What went wrong; nothing else."""
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        said: list[str] = []
        while True:
            try:
                line = self.lines.get(timeout=SECONDS)
            except queue.Empty:
                self.process.kill()
                return "".join(said) + f"No answer in {SECONDS} s: the process was ended."
            if line is None:
                return "".join(said) + f"The process died, with status {self.process.wait()}."
            if line.startswith(_END):
                return "" if line.split()[-1] == "passed" else "".join(said)
            said.append(line)


def _serve() -> None:
    import numpy as np

    from tests.rounding import assert_allclose  # tolerances as in every test

    np.testing.assert_allclose = assert_allclose
    for line in sys.stdin:
        module, _, name = line.strip().partition(":")
        try:
            import tapeflow as tf

            np.random.seed(2015)
            tf.random.set_seed(2015)
            getattr(importlib.import_module(module), name).on_eight_devices()
            outcome = "passed"
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            outcome = "failed"
        print(_END, outcome, flush=True)


if __name__ == "__main__":
    _serve()
