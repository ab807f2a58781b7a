"""The hub of lifelines: who comes, who leaves, and who is lost."""

import socket
import threading

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines.xla.coordinator import Hub


@pytest.fixture
def hub():
    made = Hub("127.0.0.1")
    threading.Thread(target=made.serve, daemon=True).start()
    yield made
    made.listening.close()


class Worker:
    def __init__(self, hub, number):
        self.line = socket.create_connection(("127.0.0.1", hub.port), timeout=10)
        self.lines = self.line.makefile("r", encoding="ascii")
        self.say(number)

    def say(self, what):
        self.line.sendall(f"{what}\n".encode())

    def hears(self):
        return self.lines.readline().strip()

    def ends(self):
        self.lines.close()
        self.line.close()


def met(hub, count):
    workers = [Worker(hub, k) for k in range(count)]
    while True:
        with hub.lock:
            if len(hub.lines) == count:
                return workers


def test_who_is_lost_and_who_has_done_its_work(hub):
    zero, one, two = met(hub, 3)
    one.ends()
    assert zero.hears() == two.hears() == "lost 1"
    late = Worker(hub, 3)
    assert late.hears() == "lost 1"
    two.say("bye")
    assert zero.hears() == late.hears() == "left 2"
    assert not hub.empty.is_set()
    zero.say("bye")
    late.say("bye")
    assert hub.empty.wait(10)
    for each in (zero, two, late):
        each.ends()


def test_all_addresses_are_also_those_of_ipv4():
    # Workers on other machines, which come by IPv4, were refused.
    hub = Hub("::")
    threading.Thread(target=hub.serve, daemon=True).start()
    [worker] = met(hub, 1)
    worker.say("bye")
    assert hub.empty.wait(10) and hub.gone == ["left 0"]
    worker.ends()
    hub.listening.close()


def test_strangers_are_not_missed(hub):
    [worker] = met(hub, 1)
    stranger = socket.create_connection(("127.0.0.1", hub.port), timeout=10)
    stranger.sendall(b"GET / HTTP/1.1\n")
    stranger.close()
    worker.say("bye")
    assert hub.empty.wait(10) and hub.gone == ["left 0"]
    worker.ends()


def test_who_is_silent_is_lost(monkeypatch):
    # A worker that the system had stopped was waited for until somebody looked.
    monkeypatch.setenv("TAPEFLOW_HEARTBEAT_TIMEOUT", "1")
    hub = Hub("127.0.0.1")
    threading.Thread(target=hub.serve, daemon=True).start()
    one, two = met(hub, 2)
    over = threading.Event()

    def beats():
        while not over.wait(0.1):
            one.say("beat")

    beating = threading.Thread(target=beats)
    beating.start()
    assert one.hears() == "lost 1" and two.hears() == ""
    over.set()
    beating.join()
    one.say("bye")
    assert hub.empty.wait(10) and hub.gone == ["lost 1", "left 0"]
    for each in (one, two):
        each.ends()
    hub.listening.close()
