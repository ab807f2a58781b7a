"""Frames: who executes, who watches, and where; each thread and task has its own."""

import contextvars
import threading

import pytest

from tapeflow.core import frames
from tapeflow.core.frames import Frame, current, entered


class Watcher:
    pass


A, B = Watcher(), Watcher()


def test_observers_come_and_go():
    frame = Frame().watched_by(A).watched_by(B)
    assert frame.observers == (A, B) and frame.without(A).observers == (B,) and frame.eager
    assert frame.exchanged(A, B).observers == (B, B) and frame.exchanged(Watcher(), B) is frame
    assert len({Frame().serial, frame.serial, frame.without(A).serial}) == 3


def test_the_audience_has_those_below():
    below = Frame(observers=(A,))
    frame = Frame(executor=object(), observers=(B,), below=below)
    assert frame.audience == (A, B) and not frame.eager
    changed = frame.exchanged(A, B)
    assert changed.audience == (B, B) and changed.executor is frame.executor and below.observers == (A,)
    silent = frame.silent()
    assert silent.audience == () and silent.executor is frame.executor and silent.below.below is None


def test_blocks_end_also_by_errors():
    outside, frame = current(), Frame()
    with pytest.raises(KeyError), entered(frame):
        assert current() is frame
        raise KeyError
    assert current() is outside


def test_threads_and_contexts_begin_with_nobody():
    seen = []
    with entered(Frame(observers=(A,))):
        thread = threading.Thread(target=lambda: seen.append(current().audience))
        thread.start()
        thread.join()
        seen.append(contextvars.copy_context().run(lambda: current().audience))
    assert seen == [(), (A,)]


def test_nobody_is_told_in_a_silent_block():
    with entered(Frame(observers=(A,))), frames.unobserved():
        assert current().audience == ()


def test_an_executor_may_refuse_an_effect():
    class Graph:
        def effect(self, what):
            raise ValueError(what)

    frames.has_an_effect("printing")
    with entered(Frame(executor=Graph(), below=current())):
        with pytest.raises(ValueError, match="printing"):
            frames.has_an_effect("printing")
        with frames.below():
            frames.has_an_effect("printing")
