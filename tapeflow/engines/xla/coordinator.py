"""The process that a cluster meets in: `python -P coordinator.py ADDRESS COUNT`, started by the first worker.

It has the service by which jax's processes find each other, and a hub of lifelines: each worker holds a connection, on
which it says now and then that it is alive. When one breaks off, or falls silent, the others are told whose it was. It
is no part of the first worker, so that they hear of its end, too: without the service, jax would abort them. It ends
when all have gone.
"""

import contextlib
import importlib.util
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

AFTERWARDS = 15.0  # seconds in which the others may say what has happened, when one is lost


def silence() -> float:
    """How many seconds nothing may be heard of a worker: as long as it may be busy in a call that lets no other thread
    of Python run."""
    return float(os.environ.get("TAPEFLOW_HEARTBEAT_TIMEOUT", 100))


class Hub:
    """Lifelines of the workers: each says its number when it comes, "beat" from time to time, and "bye" when it has
    done its work. The others are told "left K" then, or "lost K" if it went without a word, or fell silent."""

    def __init__(self, host: str) -> None:
        self.listening = listening(host)
        self.port = self.listening.getsockname()[1]
        self.lines: dict[int, socket.socket] = {}
        self.gone: list[str] = []
        self.lock, self.empty = threading.Lock(), threading.Event()

    def serve(self) -> None:
        while True:
            try:
                line, _ = self.listening.accept()
            except OSError:  # closed
                return
            keep_alive(line)
            line.settimeout(silence())
            threading.Thread(target=self._follow, args=(line,), daemon=True).start()

    def _follow(self, line: socket.socket) -> None:
        number, said = None, ""
        with line:
            with (
                contextlib.suppress(OSError, ValueError, StopIteration),
                line.makefile("r", encoding="ascii") as lines,
            ):
                number = int(next(lines))
                with self.lock:
                    self.lines[number] = line
                    self._tell([line], self.gone)
                while (said := next(lines).strip()) == "beat":
                    pass
            with self.lock:
                if number is not None:
                    self._end(number, said)

    def _end(self, number: int, said: str) -> None:
        if self.lines.pop(number, None) is not None:
            self.gone.append(f"{'left' if said == 'bye' else 'lost'} {number}")
            self._tell(list(self.lines.values()), self.gone[-1:])
            if not self.lines:
                self.empty.set()

    def _tell(self, lines: list, news: list[str]) -> None:
        for line in lines:
            with contextlib.suppress(OSError):
                line.sendall("".join(f"{each}\n" for each in news).encode())


def listening(host: str) -> socket.socket:
    """A socket for connections to an address of this machine, at any port; `::` is all of them, those of IPv4, too."""
    if host != "::":
        return socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    with contextlib.suppress(OSError, ValueError):  # without IPv6, or one that is for itself
        return socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("0.0.0.0", 0))


def keep_alive(line: socket.socket) -> None:
    """Have the system find out within ten seconds that the other side is without power."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 4), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 2)):
        if hasattr(socket, name):
            line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _beside(name: str) -> Any:
    """A module of this folder, without the package, which takes longer to import."""
    spec: Any = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    address, count = sys.argv[1], int(sys.argv[2])
    service = _beside("unofficial").service(address, count)
    hub = Hub(address.rpartition(":")[0].strip("[]"))
    threading.Thread(target=hub.serve, daemon=True).start()
    print(hub.port, flush=True)
    done = "done" in sys.stdin.read()  # or the first worker has ended, and not by itself
    hub.empty.wait(None if done else AFTERWARDS)
    if any(news.startswith("lost") for news in hub.gone):
        time.sleep(0.5)
    del service


if __name__ == "__main__":
    main()
