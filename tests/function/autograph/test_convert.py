"""Which functions are converted, and how often."""

import functools
import logging
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import tapeflow as tf

from .checks import traced, values
from .test_functions import Doubling
from .test_programs import branch, inner_functions

malt = pytest.importorskip("malt")

from tapeflow.function.autograph import convert  # noqa: E402


def test_libraries_are_left_alone():
    for function in (tf.reduce_sum, np.sum, functools.wraps, textwrap.dedent, pytest.raises, len, Doubling):
        assert convert.converted(function) is function


def test_a_function_without_source_is_left_alone():
    space = {}
    exec("def h(x):\n  if x > 0.: return x\n  return -x", space)
    assert convert.converted(space["h"]) is space["h"]


def test_do_not_convert():
    marked = tf.autograph.experimental.do_not_convert(branch)
    assert convert.converted(marked) is marked and marked.__name__ == "branch"
    assert values(marked(tf.constant(3.0))) == 9.0


def test_code_is_converted_once(monkeypatch):
    def make(k):
        return lambda x: x * k if x > 0.0 else x

    made = []
    monkeypatch.setattr(convert, "_transformed", lambda f, whole=convert._transformed: made.append(f) or whole(f))
    assert values(traced(make(2.0))(3.0)) == 6.0 and values(traced(make(5.0))(3.0)) == 15.0
    assert len(made) == 1


def test_converted_functions_are_not_converted_again():
    made = convert.converted(inner_functions)
    assert convert.converted(made) is made


def test_what_is_not_converted_is_logged(caplog):
    def generator(x):
        yield x

    with caplog.at_level(logging.INFO, "tapeflow"):
        assert convert.converted(generator) is generator
    assert "a generator" in caplog.text


def test_malt_is_imported_when_a_function_is_traced():
    program = (
        "import sys, tapeflow; assert 'malt' not in sys.modules; import tapeflow.function.autograph.convert; "
        "print('malt' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_what_is_in_a_function_goes_by_its_name_too():
    """It was called ag__outer.<locals>.ag__inner.<locals>.ag__function.<locals>.inner, in tracebacks and by itself."""
    names = []

    @tf.function
    def function(x):
        def inner():
            return x

        names.append(inner.__qualname__)
        if x > 0.0:
            y = x @ x
        else:
            y = x
        return y

    with pytest.raises(ValueError) as caught:
        function(tf.constant(1.0))
    here = "test_what_is_in_a_function_goes_by_its_name_too.<locals>.function.<locals>"
    assert names == [f"{here}.inner"]
    assert f"{here}.if_body" in [entry.frame.code.raw.co_qualname for entry in caught.traceback]
    tf.function(lambda x: names.append((lambda: x).__qualname__))(tf.constant(1.0))
    assert not any("ag__" in name for name in names)
