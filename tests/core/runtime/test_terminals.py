"""What is taken for a terminal."""

import io

import pytest

from tapeflow.core.runtime import terminals


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _afresh():
    terminals._escapes.cache_clear()
    yield
    terminals._escapes.cache_clear()


def test_terminals_and_others():
    closed = io.StringIO()
    closed.close()
    assert terminals.is_terminal(Terminal())
    assert not any(map(terminals.is_terminal, (io.StringIO(), closed, None)))


@pytest.mark.parametrize(("windows", "calls"), [(True, [""]), (False, [])])
def test_the_console_of_windows_is_told_once(monkeypatch, windows, calls):
    told = []
    monkeypatch.setattr(terminals, "WINDOWS", windows)
    monkeypatch.setattr(terminals.os, "system", told.append)
    assert terminals.is_terminal(Terminal()) and terminals.is_terminal(Terminal())
    assert told == calls
