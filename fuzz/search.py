"""Many calls: round after round over the functions, until the time or the number of rounds is used up."""

import functools
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from . import generate, oracle


@dataclass
class Result:
    seed: int
    calls: int = 0
    comparisons: Counter = field(default_factory=Counter)
    disagreements: list = field(default_factory=list)


def search(tf, names, seed, seconds=None, rounds=None, kinds=None):
    """Compare calls of the functions `names`. Call `k` of a function is that of seed `1000 * seed + k`."""
    result = Result(seed)
    end = None if seconds is None else time.monotonic() + seconds
    round_ = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"), quiet():
        warnings.simplefilter("ignore")
        while rounds is None or round_ < rounds:
            for name in names:
                call = generate.call(tf, name, 1000 * seed + round_)
                result.calls += 1
                with limited(), watched(call):
                    result.disagreements += oracle.check(tf, call, kinds or oracle.chosen(call), result.comparisons)
                if end is not None and time.monotonic() > end:
                    return result
            round_ += 1
            if "jax" in sys.modules:
                sys.modules["jax"].clear_caches()  # every compiled call would stay
    return result


def in_parallel(jobs, only, seed, **options):
    """The same by `jobs` processes, of which each has a seed of its own: `seed`, `seed + 1`, …"""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        parts = list(pool.map(functools.partial(_part, only, options), range(seed, seed + jobs)))
    total = Result(seed, sum(p.calls for p in parts))
    for part in parts:
        total.comparisons += part.comparisons
        total.disagreements += part.disagreements
    return total


def _part(only, options, seed):
    import tapeflow as tf

    return search(tf, [n for n in generate.names(tf) if only in n], seed, **options)


LIMIT = 30  # seconds of processor time for the comparisons of one call


@contextmanager
def limited():
    """An exception in what runs longer: it becomes a disagreement, or ends the search with a traceback."""
    if not hasattr(signal, "SIGPROF"):  # on Windows there is no such limit
        yield
        return

    def stop(*_):
        raise TimeoutError(f"no answer after {LIMIT} seconds of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


HANGS = 300  # seconds after which a call does not come back: a loop in C that hears no signal


@contextmanager
def watched(call):
    """The process ends, with the call on its lips, where an exception cannot."""

    def end():
        print(f"never comes back:\n        {call}", file=sys.stderr, flush=True)
        os._exit(3)

    watch = threading.Timer(HANGS, end)
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


@contextmanager
def quiet():
    """Without the log's advice about slow ways."""
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
