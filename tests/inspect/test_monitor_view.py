"""The monitor's table, as text and on a terminal, which is a small one of our own here."""

import io
import re
import sys

import pytest

import tapeflow as tf
from tapeflow.inspect import monitor_view
from tapeflow.inspect.monitor_view import Row, Screen, interesting, sparkline, table


def row(name, gradient=1.0, note="", norms=(1.0, 2.0)):
    return Row(name, gradient, 2.0, 1e-3, 0.25, norms, note)


class Terminal(io.StringIO):
    """Does what the escapes say, with lines that scroll."""

    encoding = "utf-8"

    def __init__(self, columns=80, lines=24):
        super().__init__()
        self.columns, self.height, self.rows, self.y, self.x = columns, lines, [""], 0, 0

    def isatty(self):
        return True

    def fileno(self):
        raise io.UnsupportedOperation

    def write(self, text):
        for part in re.findall(r"\x1b\[\d*[A-Z]|[\n\r\b]|[^\n\r\b\x1b]+", text):
            if part == "\n":
                self.y, self.x = self.y + 1, 0
                self.rows += [""] * (self.y + 1 - len(self.rows))
            elif part == "\r":
                self.x = 0
            elif part == "\b":
                self.x -= 1
            elif part == "\x1b[J":
                self.rows[self.y :] = [self.rows[self.y][: self.x]]
            elif part.startswith("\x1b"):
                by = int(part[2:-1])
                self.y, self.x = (self.y - by, self.x) if part[-1] == "A" else (self.y, self.x + by)
                assert part[-1] in "AC" and self.y > len(self.rows) - 1 - self.height
            else:
                line = self.rows[self.y].ljust(self.x)
                self.rows[self.y] = line[: self.x] + part + line[self.x + len(part) :]
                self.x += len(part)
                assert len(self.rows[self.y]) < self.columns, "a line that wraps"
        return len(text)

    @property
    def text(self):
        return [line.rstrip() for line in self.rows]


# ---- the table


def test_columns():
    lines = table([row("dense/kernel", norms=[1.0, 10.0, 100.0], note="dead")], 100, 5)
    assert lines[0].split() == ["variable", "gradient", "weight", "update", "dead", "history"]
    assert lines[1].split() == ["dense/kernel", "1.00e+00", "2.00e+00", "1.00e-03", "25%", "▁▅█", "dead"]
    unknown = Row("x", float("nan"), 1.0, float("nan"), float("nan"), [], "not finite")
    assert table([unknown], 100, 5)[1].split()[:5] == ["x", "-", "1.00e+00", "-", "-"]


@pytest.mark.parametrize("width", [25, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    lines = table([row("block/" * 12 + "kernel", note="vanishing"), row("b")], width, 5)
    assert max(map(len, lines)) <= width
    assert all("gradient"[: width - 6] in line or "1.00e" in line or width < 30 for line in lines)
    if width > 40:
        assert lines[1].endswith("vanishing") and "/kernel " in lines[1]


def test_narrow_terminals_keep_what_matters_most():
    assert table([row("a", note="dead")], 40, 5)[0].split() == ["variable", "gradient", "update"]


def test_long_models_show_what_is_interesting():
    rows = [row(f"layer{k}", gradient=float(k + 1), note="dead" if k == 20 else "") for k in range(50)]
    assert [r.name for r in interesting(rows, 5)] == ["layer0", "layer1", "layer20", "layer48", "layer49"]
    lines = table(rows, 80, 5)
    assert len(lines) == 7 and lines[-1] == "… and 45 more"
    assert table(rows, 80, 50)[-1].split()[0] == "layer49"


def test_only_ascii_where_a_terminal_has_nothing_else():
    lines = table([row("a" * 99) for _ in range(4)], 60, 2, fancy=False)
    assert all(line.isascii() for line in lines) and lines[-1] == "... and 2 more"
    assert not monitor_view.can_show(type("Stream", (), {"encoding": "latin-1"})())


def test_sparklines():
    assert sparkline([1.0, 1.01, 1.0]) == "▄▄▄"
    assert sparkline([0.0, float("inf"), 1.0, 1e6]) == "▁!▁█"
    assert len(sparkline(range(1, 99))) == 12 and sparkline([]) == ""


# ---- a terminal


def installed(monkeypatch):
    """(Not a fixture: pytest has streams of its own for the test itself.)"""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(monitor_view, "_PAUSE", 1e9)
    return terminal


def test_the_table_is_drawn_in_place(monkeypatch):
    terminal = installed(monkeypatch)
    screen = Screen(terminal)
    screen.open()
    screen.draw(["one", "two"])
    screen.draw(["three", "four"])
    assert terminal.text == ["", "three", "four"]
    screen.draw(["five"])
    screen.close()
    assert terminal.text == ["five", ""]
    assert sys.stdout is terminal and sys.stderr is terminal


def test_what_the_program_prints_stays_above_it(monkeypatch):
    terminal = installed(monkeypatch)
    screen = Screen(terminal)
    screen.open()
    screen.draw(["a long line", "and a second"])
    print("x")
    assert terminal.text == ["x", ""]
    screen.draw(["again", "and again"])
    monkeypatch.setattr(monitor_view, "_PAUSE", -1)
    print("y", file=sys.stderr)
    assert terminal.text == ["x", "y", "", "again", "and again"]
    screen.close()
    assert terminal.text == ["x", "y", "again", "and again", ""]


def test_a_progress_bar_goes_on_above_it(monkeypatch):
    terminal = installed(monkeypatch)
    screen = Screen(terminal)
    screen.open()
    sys.stdout.write("bar =>..")
    screen.draw(["table"])
    sys.stdout.write("\b" * 8 + "\rbar ===>")
    assert terminal.text == ["bar ===>", "table"]
    sys.stdout.write(" done")
    assert terminal.text == ["bar ===> done", "table"]
    screen.draw(["new table"])
    sys.stdout.write("!\nEpoch 2\n")
    assert terminal.text == ["bar ===> done!", "Epoch 2", ""]
    screen.close()
    assert terminal.text == ["bar ===> done!", "Epoch 2", "new table", ""]


def train(monitor, steps=5):
    v = tf.Variable([3.0, 4.0], name="v")
    with monitor:
        for k in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v * v)
            v.assign_sub(0.01 * tape.gradient(loss, v))
            print("step", k)


def test_the_monitor_on_a_terminal(monkeypatch):
    terminal = installed(monkeypatch)
    train(tf.debugging.GradientMonitor(every=2))
    assert terminal.text[:5] == [f"step {k}" for k in range(5)]
    assert terminal.text[5].startswith("gradients at step 5, global norm 9.22")
    assert terminal.text[7].split()[:2] == ["v", "9.22e+00"]
    assert len(terminal.text) == 9


def test_an_error_gives_the_terminal_back(monkeypatch):
    terminal = installed(monkeypatch)
    with pytest.raises(KeyError), tf.debugging.GradientMonitor(every=1):
        raise KeyError
    assert sys.stdout is terminal


def test_a_file_gets_a_block_for_each_measurement(capsys):
    stream = io.StringIO()
    train(tf.debugging.GradientMonitor(every=2, terminal=True, stream=stream))
    blocks = stream.getvalue().split("\n\n")
    assert [b.splitlines()[0] for b in blocks if b] == [
        "gradients at step 1, global norm 10",
        "gradients at step 3, global norm 9.6",
        "gradients at step 5, global norm 9.22",
    ]
    assert "\x1b" not in stream.getvalue()


def test_a_file_gets_nothing_unless_asked(capsys):
    stream = io.StringIO()
    train(tf.debugging.GradientMonitor(every=2, stream=stream))
    assert stream.getvalue() == "" and capsys.readouterr().err == ""
