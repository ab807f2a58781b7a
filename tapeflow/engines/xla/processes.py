"""Several processes that compute together, by `jax.distributed`: who they are, how they begin and end, and what is
said when one is lost.

A worker that ends takes part in no further exchange, so no program on all devices comes to its end without it. The
others raise `tf.errors.UnavailableError`, which names it: from the exchange that broke off, or before the next one;
and who still waits in one some seconds later is ended, with the same message (status 75, "try again").
"""

import atexit
import contextlib
import ctypes
import hashlib
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import jax

from tapeflow.core.errors import FailedPreconditionError, UnavailableError

from . import coordinator, unofficial
from .jobs import Job, described, of_cluster as of_cluster

TRY_AGAIN = 75  # the exit status of a worker that lost another one
_NEWS = 3.0  # seconds in which the hub says who was lost, after an exchange broke off
_ABORTS = 60  # seconds more than a worker waits for the others at first: then jax would abort it
_STUCK = 5.0  # seconds that an exchange may take after a worker was lost
_COMPARED = "TAPEFLOW_COMPARE_PROGRAMS"

_log = logging.getLogger("tapeflow")


# ---- beginning and end


class _Now:
    job: Job | None = None
    client: Any = None  # of jax's key-value store
    lifeline: socket.socket | None = None
    service: Any = None  # the coordinator's process, in the first worker
    lost: ClassVar[list[int]] = []  # who ended in the middle,
    left: ClassVar[list[int]] = []  # and who said that it had done its work
    heard = threading.Event()
    inside = 0  # programs under way that need all workers
    compared = 0


def job() -> Job | None:
    """The job that was started; None for a process alone."""
    return _Now.job


def count() -> int:
    """How many processes compute together."""
    return 1 if _Now.job is None else _Now.job.size


def number() -> int:
    """Which of them this one is."""
    return 0 if _Now.job is None else _Now.job.number


def is_chief() -> bool:
    """Is this the process that writes files?"""
    return number() == 0


def start(given: Job | None = None, timeout: int = 300) -> None:
    """Meet the other processes of the job, those of the environment if none is given; a process alone does nothing.

    Raises:
        RuntimeError: If XLA is in use already, or another job was started.
        UnavailableError: If the others are not to be reached. A process to which they do not come within `timeout`
            seconds is ended, with the same message.
    """
    given = described() if given is None else given
    if given is None or given == _Now.job:
        return
    if _Now.job is not None:
        raise RuntimeError(f"This process is number {_Now.job.number} of {_Now.job.size} already.")
    if in_use():
        raise RuntimeError(
            "jax.distributed.initialize() must be called before any JAX calls that might initialise the XLA backend. "
            "Make the strategy, or call keras.distribution.initialize(), before anything is compiled, put on a device "
            "or asked of the devices."
        )
    if given.size == 1:
        return
    host = given.address.rpartition(":")[0]
    for name in ("no_proxy", "NO_PROXY"):  # gRPC would ask a proxy for its neighbours
        os.environ[name] = ",".join(filter(None, [os.environ.get(name), host, "127.0.0.1", "localhost"]))
    jax.config.update("jax_enable_recoverability", True)
    for option, value in (("jax_enable_preemption_service", False), ("jax_check_proxy_envs", False)):
        with contextlib.suppress(AttributeError):  # of some versions
            jax.config.update(option, value)
    atexit.register(stop)
    lonely = (
        f"Worker {given.number} of {given.size} did not meet the others at {given.address} in {timeout} s. Have all "
        "been started, with the same addresses, and do they reach that one?"
    )
    late = threading.Timer(timeout, _end_with, [lonely])
    late.daemon = True
    late.start()
    try:
        _begin(given, timeout)
    except jax.errors.JaxRuntimeError as error:
        raise UnavailableError(None, None, f"{lonely} {error}") from error
    finally:
        late.cancel()
    _Now.job = given
    if not isinstance(sys.excepthook, _Ended):
        sys.excepthook = _Ended(sys.excepthook)


def in_use() -> bool:
    """Has XLA begun, with as many processes as it was told then?"""
    return unofficial.has_begun()


def _begin(given: Job, timeout: int) -> None:
    unofficial.check()
    port = ""
    if given.number == 0:
        _Now.service, port = _coordinator(given)
    more: dict[str, Any] = {} if given.local is None else {"local_device_ids": [given.local]}
    with unofficial.served_elsewhere():
        jax.distributed.initialize(
            coordinator_address=given.address, num_processes=given.size, process_id=given.number,
            cluster_detection_method="deactivate", initialization_timeout=timeout + _ABORTS, **more,
        )  # fmt: skip
    _Now.client = unofficial.client()
    if given.number == 0:
        _Now.client.key_value_set("tapeflow/hub", port)
    else:
        port = _Now.client.blocking_key_value_get("tapeflow/hub", timeout * 1000)
    host = given.address.rpartition(":")[0].strip("[]")
    _Now.lifeline = line = socket.create_connection((host, int(port)), timeout=timeout)
    line.settimeout(None)
    coordinator.keep_alive(line)
    line.sendall(f"{given.number}\n".encode())
    for work in (_hear, _watch, _beat):
        threading.Thread(target=work, daemon=True, name=f"tapeflow {work.__name__}").start()


def _coordinator(given: Job) -> tuple[subprocess.Popen, str]:
    """Starts the process that all meet in; with the port of its hub."""
    host, _, port = given.address.rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host
    bind = host if host in ("127.0.0.1", "[::1]") else "[::]"
    made = subprocess.Popen(
        [sys.executable, "-P", coordinator.__file__, f"{bind}:{port}", str(given.size)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "2"},
    )  # fmt: skip
    hub = made.stdout.readline().strip() if made.stdout else ""
    if not hub:
        raise UnavailableError(None, None, f"The service at {given.address} did not start. Is the port free?")
    return made, hub


def stop() -> None:
    """The end of this process's part, which the others are told."""
    if _Now.job is None:
        return
    client, lifeline = _Now.client, _Now.lifeline
    assert client is not None and lifeline is not None
    if not _Now.lost:
        for tell in (
            client.shutdown,
            lambda: lifeline.sendall(b"bye\n"),
            lambda: _tell_coordinator("done"),
        ):
            with contextlib.suppress(Exception):
                tell()
    # jax's objects would ask a service for leave that may be gone, and abort the process at its very end.
    _never_freed(client)
    if in_use():
        _never_freed(jax.devices()[0].client)
    unofficial.forget()  # (jax's own end would wait for all)
    _Now.job = _Now.client = None


def _never_freed(thing: Any) -> None:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _tell_coordinator(what: str) -> None:
    _Now.service.stdin.write(what)
    _Now.service.stdin.close()


def barrier(name: str, timeout: float = 600.0) -> None:
    """Wait until all processes have come here."""
    if _Now.job is not None:
        with watched():
            _Now.compared += 1
            _Now.client.wait_at_barrier(f"tapeflow/{name}/{_Now.compared}", int(timeout * 1000))


def from_chief(name: str, text: str) -> str:
    """The text of the first process, in all; they call it in the same order."""
    _Now.compared += 1
    key = f"tapeflow/{name}/{_Now.compared}"
    with watched():
        if is_chief():
            _Now.client.key_value_set(key, text)
            return text
        return _Now.client.blocking_key_value_get(key, 600_000)


# ---- when one is lost


def _hear() -> None:
    line = _Now.lifeline
    with contextlib.suppress(OSError, ValueError), line.makefile("r", encoding="ascii") as lines:  # type: ignore[union-attr]
        for said in lines:
            how, _, who = said.partition(" ")
            if how == "left":
                _Now.left.append(int(who))
            else:
                _Now.lost.append(int(who))
                _Now.heard.set()
    if _Now.job is not None and not _Now.lost:  # the coordinator is gone, and its machine with it
        _Now.lost.append(0)
        _Now.heard.set()


def _beat() -> None:
    """Says that this process is alive; one that the system has stopped does not."""
    line = _Now.lifeline
    with contextlib.suppress(OSError):
        while _Now.client is not None:
            line.sendall(b"beat\n")  # type: ignore[union-attr]
            time.sleep(min(5.0, coordinator.silence() / 4))


def _watch() -> None:
    """Ends a process that waits for a lost worker in an exchange: nothing in Python could."""
    _Now.heard.wait()
    began = time.monotonic()
    while time.monotonic() - began < _STUCK or not _Now.inside:
        if not _Now.inside:
            began = time.monotonic()
        time.sleep(0.1)
    _end_with(_what_was_lost())


def _end_with(why: str) -> None:
    """Ends this process, from a thread of its own: who waits in jax hears nothing."""
    sys.stderr.write(f"tapeflow.errors.UnavailableError: {why}\n")
    _leave()


def _leave() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(TRY_AGAIN)


def _what_was_lost() -> str:
    job = _Now.job
    if job is None:
        return "A worker has ended."
    names = [f"Worker {k}" + (f", {job.workers[k]}," if job.workers else "") for k in _Now.lost or _Now.left]
    return (
        f"{' and '.join(names) or 'One'} of {job.size} has ended, and what all compute together cannot go on. The "
        "first error is in its log. Start all workers again (tapeflow launch --restarts does): what was saved, by "
        "keras.callbacks.BackupAndRestore for one, is where they go on."
    )


_BROKEN = re.compile("gloo|nccl|connection|coordination|unavailable|distributed|heartbeat", re.IGNORECASE)


@contextmanager
def watched() -> Iterator[None]:
    """The time of something that needs all processes."""
    if _Now.job is None:
        yield
        return
    if _Now.lost:
        raise UnavailableError(None, None, _what_was_lost())
    _Now.inside += 1
    try:
        yield
    except (ValueError, RuntimeError) as error:  # jax's own errors are RuntimeErrors
        if not _BROKEN.search(str(error)):
            raise
        _Now.heard.wait(_NEWS)
        raise UnavailableError(None, None, f"{_what_was_lost()} ({str(error)[:300]})") from error
    finally:
        _Now.inside -= 1


class _Ended:
    """`sys.excepthook`: who has lost a worker says so and is gone, without waiting for anybody."""

    def __init__(self, before: Callable) -> None:
        self.before = before

    def __call__(self, kind: type, error: BaseException, traceback: Any) -> None:
        self.before(kind, error, traceback)
        if isinstance(error, UnavailableError) and _Now.job is not None:
            _leave()
        if _Now.job is not None and not issubclass(kind, KeyboardInterrupt):
            # Not "bye": the others wait in vain, and hear it from the hub as soon as this process has ended.
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            os._exit(1)


# ---- programs that all have


def compare(name: str, text: Callable[[], str]) -> None:
    """Is a program that is about to run for the first time the same in all processes? Those that differ would wait for
    each other for ever. TAPEFLOW_COMPARE_PROGRAMS=0 leaves it out.

    Raises:
        FailedPreconditionError: If it is another one than that of the first process.
    """
    if _Now.job is None or os.environ.get(_COMPARED) == "0":
        return
    mine = f"{hashlib.sha256(text().encode()).hexdigest()} {name}"
    theirs = from_chief("program", mine)
    if theirs != mine:
        raise FailedPreconditionError(
            None,
            None,
            f"Program {_Now.compared} of worker {number()} is {name!r}, and that of worker 0 is "
            f"{theirs.partition(' ')[2]!r}, or has other operations or sizes. All workers must run the same programs "
            "in the same order: look for branches, sizes of batches and constants that depend on the worker.",
        )
