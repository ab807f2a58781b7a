"""What is shown of a traceback ends at the user's line, and the error itself keeps everything."""

import pickle
import subprocess
import sys
import traceback
import types

import pytest

import tapeflow as tf
from tapeflow.core.runtime import settings, tracebacks
from tests import perturbation

PERTURBATION = perturbation.__file__  # kernels are in there while tests run as on other machines


@tf.function
def branching(x):
    if tf.reduce_sum(x) > 0:
        return tf.matmul(x, x)
    return x


MISTAKES = {
    "an operator": lambda: tf.ones([2, 3]) + tf.ones([4]),
    "a kernel": lambda: tf.reshape(tf.ones([6]), [4, 2]),
    "a function with AutoGraph": lambda: branching(tf.ones([2, 3])),
    "a derivative": lambda: tf.derivatives.hvp(lambda x: x @ x, tf.ones([2, 3]), tf.ones([2, 3])),
    "a map": lambda: tf.map_fn(lambda x: x + tf.ones([5]), tf.ones([2, 3])),
}


def caught(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as found:
        call()
    return found.value


def files(error):
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("name", MISTAKES)
def test_it_ends_at_the_users_line(name):
    error = caught(MISTAKES[name])
    cause, tb = error.__cause__, error.__traceback__
    assert len(files(error)) > 2
    with tracebacks.shortened(error):
        assert error.__cause__ is None and error.__context__ is None
        assert set(files(error)[1:]) - {PERTURBATION} == {__file__}, files(error)
        text = "".join(traceback.format_exception(error))
        assert "direct cause" not in text and "During handling" not in text
    assert error.__cause__ is cause and error.__traceback__ is tb
    assert type(pickle.loads(pickle.dumps(error))) is type(error) or name == "a function with AutoGraph"


def test_what_users_raised_from_something_stays():
    def mine(x):
        try:
            return {}["missing"]
        except KeyError as error:
            raise RuntimeError("mine") from error

    with pytest.raises(RuntimeError) as found:
        tf.map_fn(mine, tf.ones([2]))
    with tracebacks.shortened(found.value):
        assert type(found.value.__cause__) is KeyError
        assert set(files(found.value)[1:]) == {__file__}


def test_errors_of_a_group_and_in_circles():
    one = caught(MISTAKES["a kernel"])
    other = ValueError("other")
    other.__context__ = one
    group = ExceptionGroup("both", [one, other])
    one.__notes__ = ["a note"]
    other.__cause__ = group
    tb = one.__traceback__
    with tracebacks.shortened(group):
        assert set(files(one)[1:]) == {__file__}
    assert one.__traceback__ is tb


def test_the_switch():
    error = caught(MISTAKES["a kernel"])
    tf.debugging.disable_traceback_filtering()
    try:
        assert not settings.traceback_filtering
        with tracebacks.shortened(error):
            assert len(files(error)) > 2 and error.__cause__ is not None
    finally:
        tf.debugging.enable_traceback_filtering()


PROGRAM = """
import sys, threading
{before}
import tapeflow as tf

tf.ones([2]) + tf.ones([3])
"""


@pytest.mark.parametrize("before", ["", "sys.excepthook = lambda *error: sys.__excepthook__(*error)"])
def test_python_shows_it_so(before, tmp_path):
    """Also where somebody else has a hook."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(before=before))
    shown = subprocess.run([sys.executable, file], capture_output=True, text=True).stderr
    assert "tf.ones([2]) + tf.ones([3])" in shown and "InvalidArgumentError" in shown
    assert shown.count("File ") == 1 and "ValueError" not in shown


def test_ipython_shows_it_so(monkeypatch):
    shown = []
    painter = types.SimpleNamespace(structured_traceback=lambda kind, error, tb, tb_offset: shown.append(files(error)))
    shell = types.SimpleNamespace(InteractiveTB=painter)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    tracebacks.install()
    paint = painter.structured_traceback
    tracebacks.install()
    assert painter.structured_traceback is paint  # once
    error = caught(MISTAKES["an operator"])
    paint(type(error), error, error.__traceback__, tb_offset=1)
    assert set(shown[0]) == {__file__}


def test_the_standard_library_below_us_is_left_out_and_what_it_calls_is_not():
    ours = {"__name__": "tapeflow.made_up"}
    exec(compile("import json\ndef read(text, f): return json.loads(text, parse_int=f)", "made_up.py", "exec"), ours)

    def of_the_user(text):
        raise ValueError(text)

    for text in ("{", "[1]"):
        error = caught(lambda text=text: ours["read"](text, of_the_user))
        assert any("json" in file for file in files(error))
        with tracebacks.shortened(error):
            assert set(files(error)) == {__file__}
            assert (error.__traceback__.tb_next.tb_next is not None) == (text == "[1]")
