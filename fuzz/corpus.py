"""TensorFlow's stored answers, and tapeflow's next to them."""

import json
import lzma
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np

from .answers import answer, difference
from .calls import Call, function, parse
from .make_corpus import FILE
from .search import limited, quiet


@dataclass
class Stored:
    """A disagreement with a stored answer; it reads like `oracle.Disagreement`."""

    call: Call
    how: str
    expected: dict
    got: dict
    kind: str = "TensorFlow"


@cache
def stored(file=FILE):
    """[(call as text, TensorFlow's answer as text), …], function by function."""
    return [line.split("\t") for line in lzma.decompress(file.read_bytes()).decode().splitlines()]


def _missing(tf, name):
    """docs/support.md lists what is not there."""
    try:
        function(tf, name)
    except AttributeError:
        return True
    return False


def check(tf, entries, counts=None):
    """The disagreements of tapeflow with these entries of `stored()`."""
    counts = Counter() if counts is None else counts
    found = []
    with warnings.catch_warnings(), np.errstate(all="ignore"), quiet():
        warnings.simplefilter("ignore")
        for text, given in entries:
            call, expected = parse(text), json.loads(given)
            if "crash" in expected or _missing(tf, call.name):
                continue
            with limited():
                got = answer(tf, call)
            counts["TensorFlow"] += 1 + ("g" in expected)
            how = difference(expected, got, [leaf.dtype for leaf in call.leaves])
            if how:
                found.append(Stored(call, how, expected, got))
    return found
