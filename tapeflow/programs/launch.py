"""`tapeflow launch`: a program as several workers on this machine, which find each other by TF_CONFIG.

Each line that a worker prints begins with its number. The machine's cores are divided among them, since each would
otherwise start as many threads as there are cores. When one fails, the others get some seconds to say what they make
of it, and are ended; with `--restarts`, all start again.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

INTERRUPTED, OUT_OF_TIME = 130, 124
TRY_AGAIN = 75  # of a worker that lost another one
GRACE = 12.0  # seconds that workers have to end by themselves after one has failed, or after Ctrl-C
_STEP = 0.05
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # not on Windows


def launch(
    program: Sequence[str], workers: int, devices: int | None = None, restarts: int = 0, timeout: float | None = None
) -> int:
    """Runs the program in so many processes; returns the exit status of the first that failed, or 0."""
    for attempt in range(restarts + 1):
        status = _Run(program, workers, devices).to_the_end(timeout)
        if status in (0, INTERRUPTED, OUT_OF_TIME):
            break
        if attempt < restarts:
            print(
                f"tapeflow: a worker ended with status {status}; all start again ({attempt + 1} of {restarts}).",
                file=sys.stderr,
                flush=True,
            )
    return status


class _Run:
    """The workers, from their start to the end of all."""

    def __init__(self, program: Sequence[str], workers: int, devices: int | None) -> None:
        self.interrupted = False
        self.printing = threading.Lock()
        addresses = [f"127.0.0.1:{port}" for port in free_ports(workers)]
        cores = divided(workers)
        self.processes: list[subprocess.Popen] = []
        self.readers: list[threading.Thread] = []
        try:
            for k in range(workers):
                self._start(k, program, environment(k, addresses, devices, len(cores[k]) or None), cores[k])
        except BaseException:
            self._end(_KILL)
            raise

    def _start(self, k: int, program: Sequence[str], its: dict[str, str], cores: list[int]) -> None:
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "tapeflow", "run", *program], env=its, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", bufsize=1,
            start_new_session=True,
        )  # fmt: skip
        self.processes.append(process)
        if cores and hasattr(os, "sched_setaffinity"):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(process.pid, cores)
        for lines, into in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            reader = threading.Thread(target=self._pass_on, args=(k, lines, into), daemon=True)
            reader.start()
            self.readers.append(reader)

    def _pass_on(self, k: int, lines: Any, into: Any) -> None:
        with lines:
            for line in lines:
                with self.printing, contextlib.suppress(ValueError, OSError):
                    into.write(f"[{k}] {line}" if line.endswith("\n") else f"[{k}] {line}\n")
                    into.flush()

    def to_the_end(self, timeout: float | None) -> int:
        """The exit status of the first worker that failed, before those that only lost it. None is left."""
        begun, failed, ending = time.monotonic(), 0, None
        now = begun
        while any(process.poll() is None for process in self.processes):
            try:
                time.sleep(_STEP)
                now = time.monotonic()
                if ending is None:
                    failed = self._failure()
                    ending = now + GRACE if failed else None
                elif failed == TRY_AGAIN and now < ending:
                    failed = self._failure()
                if timeout is not None and ending is None and now - begun > timeout:
                    print(f"tapeflow: the workers were ended after {timeout:g} s.", file=sys.stderr, flush=True)
                    failed, ending = OUT_OF_TIME, now
                if ending is not None and now >= ending:
                    self._end(signal.SIGTERM if now < ending + 2 else _KILL)
            except KeyboardInterrupt:  # the first is passed on, the second ends them
                self._end(_KILL if self.interrupted else signal.SIGINT)
                self.interrupted, failed = True, INTERRUPTED
                ending = time.monotonic() + GRACE
        if ending is None or failed == TRY_AGAIN and now < ending:
            failed = self._failure()
        self._end(_KILL)  # what they have started themselves
        for reader in self.readers:
            reader.join(timeout=2)
        return failed

    def _failure(self) -> int:
        """A status of those that have failed until now: if there is one, of a worker that failed by itself."""
        found = [_status(p) for p in self.processes if p.poll() not in (None, 0)]
        return next((status for status in found if status != TRY_AGAIN), found[0] if found else 0)

    def _end(self, by: signal.Signals) -> None:
        for process in self.processes:
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, by)
                elif process.poll() is None:
                    process.kill()


def _status(process: subprocess.Popen) -> int:
    """As shells have it: 128 and the signal."""
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody has now."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def divided(workers: int) -> list[list[int]]:
    """The cores of each worker; none where there are too few, or the system cannot say."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    share = len(cores) // workers
    return [cores[k * share : (k + 1) * share] for k in range(workers)]


def environment(k: int, addresses: list[str], devices: int | None, cores: int | None) -> dict[str, str]:
    """What worker `k` finds: its cluster, by the names that TensorFlow and Keras read, its devices and its cores."""
    cluster = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": k}}
    made = os.environ | {
        "TF_CONFIG": json.dumps(cluster),
        "KERAS_DISTRIBUTION_JOB_ADDRESSES": ",".join(addresses),
        "KERAS_DISTRIBUTION_NUM_PROCESSES": str(len(addresses)),
        "KERAS_DISTRIBUTION_PROCESS_ID": str(k),
        "PYTHONUNBUFFERED": "1",
    }
    if cores is not None:
        made.setdefault("OPENBLAS_NUM_THREADS", str(cores))
        made.setdefault("OMP_NUM_THREADS", str(cores))
    if devices is not None:
        made["XLA_FLAGS"] = f"{made.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}".strip()
        visible = made.get("CUDA_VISIBLE_DEVICES")
        known = visible.split(",") if visible else [str(n) for n in range(devices * len(addresses))]
        made["CUDA_VISIBLE_DEVICES"] = ",".join(known[k * devices : (k + 1) * devices])
    return made
