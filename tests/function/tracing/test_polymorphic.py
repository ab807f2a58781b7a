"""The cache of traces: which arguments are of one kind, how many traces are kept, and threads that call one function
at once."""

import collections
import copy
import functools
import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tests.function.programs import X, grad_of, wave

module = sys.modules["tapeflow.function.tracing.polymorphic"]  # `tapeflow.function` is the function


def counted(f=lambda *args, **kwargs: 0, **options):
    runs = []

    def body(*args, **kwargs):
        runs.append(1)
        return f(*args, **kwargs)

    return tf.function(body, **options), runs


# ---- kinds of arguments


class Object:
    pass


Pair = collections.namedtuple("Pair", "a b")
one, other, variable = Object(), Object(), tf.Variable(1.0)
function = lambda x: x


@pytest.mark.parametrize(
    "calls,traces",
    [
        ([1, 1, 2], 2), ([1, 1.0, True], 3), ([0, False], 2), ([0.0, -0.0], 2), ([float("nan"), float("nan")], 1),
        ([1j, 0.5j * 2], 1), (["a", "a", b"a"], 2), ([None, None], 1), ([one, one, other], 2),
        ([function, function, Object], 2), ([variable, variable, tf.Variable(1.0)], 2),
        ([np.float32(1), np.float32(2)], 1), ([np.ones(2), np.zeros(2), np.ones(3)], 2),
        ([np.ones(2), tf.zeros([2], tf.float64)], 1), ([np.ones(2), np.ones(2, np.float32)], 2), ([np.int64(1), 1], 2),
        ([[1, 2], [1, 2], [1, 3]], 2), ([[X], (X,)], 2), ([(X, 1), (X, 1), (X, 2)], 2),
        ([Pair(X, 1), Pair(X, 1), (X, 1)], 2), ([{"a": X, "b": 1}, {"b": 1, "a": X}, {"a": X}], None),
        ([{"a": X}, {"b": X}], 2), ([[], (), {}], 3), ([[[X]], [X, []]], 2), ([tf.constant(1), tf.constant(2), 1], 2),
        ([tf.constant(1.0), X, X + 1.0], 2), ([tf.float32, tf.float32, tf.float64], 2),
    ],
)  # fmt: skip
def test_kinds_of_arguments(calls, traces):
    f, runs = counted()
    for _ in range(2):
        for argument in calls:
            f(argument)
    assert len(runs) == (traces or len(runs)) and len(runs) <= len(calls)


def test_a_zero_has_a_sign():
    f = tf.function(lambda x, k: x * k)
    assert [np.signbit(f(tf.constant(1.0), k).numpy()) for k in (0.0, -0.0, 0.0)] == [False, True, False]


def test_defaults_and_keywords_are_the_same_call():
    runs = []
    g = tf.function(lambda x, k=2, *, scale=1: (runs.append(1), x * k * scale)[1])
    for call in (lambda: g(X), lambda: g(X, 2), lambda: g(x=X, k=2), lambda: g(X, scale=1), lambda: g(X, 2, scale=1)):
        np.testing.assert_array_equal(call(), 2 * X.numpy())
    assert len(runs) == 1


def test_an_object_is_itself_while_the_cache_knows_it():
    """Its identity is part of a key, so it must not be taken by another object: it is kept."""
    f, runs = counted(lambda o: o.value)
    for k in range(50):
        made = Object()
        made.value = tf.constant(k)
        assert int(f(made)) == k
        del made
    assert len(runs) == 50


def test_tensors_of_the_first_call_are_not_kept():
    f = tf.function(lambda x, parts: x + parts[0])
    x, y = tf.ones([5]), tf.ones([5])
    f(x, [y])
    gone = weakref.ref(x.array), weakref.ref(y.array)
    del x, y
    gc.collect()
    assert [g() for g in gone] == [None, None]


# ---- how many are kept


def test_the_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "_MOST_TRACES", 8)
    f, runs = counted(lambda x, k: x * k)
    for _ in range(2):
        for k in range(20):
            np.testing.assert_array_equal(f(X, k), k * X.numpy())
    assert len(runs) == 40 and max(map(len, (f._traces, f._quick, f._general, f._seen))) <= 8
    f(X, 19)
    assert len(runs) == 40


def test_traces_for_many_sizes_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "_MOST_TRACES", 8)
    monkeypatch.setattr(module, "_MOST_GENERAL", 3)
    f, _ = counted(lambda x: tf.add_n(tf.unstack(x)), reduce_retracing=True)  # a trace for each size
    for _ in range(2):
        for n in range(1, 20):
            assert float(f(tf.ones([n]))) == n
    assert all(len(traces) <= 4 for traces in f._general.values()) and len(f._traces) <= 8


def test_versions_of_one_trace_are_bounded(monkeypatch):
    monkeypatch.setattr(sys.modules["tapeflow.function.tracing.concrete"], "MOST_VERSIONS", 5)
    f, runs = counted(lambda x: tf.reduce_sum(x * 2.0), input_signature=[tf.TensorSpec([None], tf.float32)])
    concrete = f.get_concrete_function()
    for n in [*range(20), *range(20)]:
        assert float(concrete(tf.ones([n]))) == 2 * n
    assert len(runs) == 1 and len(concrete.versions) <= 5


def test_a_trace_for_one_width_is_not_used_for_another():
    """A trace for [None, 4] was once taken for [None, 5], whose sizes it never looked at."""
    f = tf.function(lambda x: tf.constant(4 if x.shape[1] == 4 else 0), reduce_retracing=True)
    assert [int(f(tf.ones(shape))) for shape in ((3, 4), (2, 4), (2, 5), (3, 5), (6, 4))] == [4, 4, 0, 0, 4]


# ---- threads


def run_in_threads(work, count=8):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    errors, results = [], [None] * count
    start = threading.Barrier(count)

    def one(k):
        try:
            start.wait()
            results[k] = work(k)
        except BaseException as error:
            errors.append(error)

    try:
        threads = [threading.Thread(target=one, args=(k,)) for k in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors, errors
    return results


def test_threads_trace_once():
    f, runs = counted(lambda x: wave(x))
    want = wave(X)
    for result in run_in_threads(lambda k: f(X)):
        np.testing.assert_allclose(result, want, rtol=1e-6)
    assert len(runs) == 1


def test_threads_with_different_shapes():
    f, runs = counted(lambda x: tf.reduce_sum(tf.exp(x) * 2.0))
    results = run_in_threads(lambda k: [float(f(tf.zeros([k % 4 + 1]))) for _ in range(10)])
    assert results == [[2.0 * (k % 4 + 1)] * 10 for k in range(8)] and len(runs) == 4


@pytest.mark.parametrize("round", range(5))
def test_threads_that_need_the_same_derivative_first(round):
    f = tf.function(wave)
    f(X)
    want = grad_of(wave, X)
    second = grad_of(lambda x: grad_of(wave, x), X)
    for first, both in run_in_threads(lambda k: (grad_of(f, X), grad_of(lambda x: grad_of(f, x), X))):
        np.testing.assert_allclose(first, want, rtol=1e-6)
        np.testing.assert_allclose(both, second, rtol=1e-5)


def test_threads_and_unknown_sizes():
    f, runs = counted(lambda x: tf.reduce_sum(x**2), input_signature=[tf.TensorSpec([None], tf.float32)])
    concrete = f.get_concrete_function()
    results = run_in_threads(lambda k: [float((concrete if k % 2 else f)(tf.ones([n]))) for n in range(30)])
    assert results == [[float(n) for n in range(30)]] * 8 and len(runs) == 1


def test_threads_of_a_training_step():
    w, count = tf.Variable(tf.ones([50])), tf.Variable(0)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x)
        w.assign_sub(tape.gradient(loss, w))
        count.assign_add(1)
        return loss

    run_in_threads(lambda k: [step(tf.ones([50])) for _ in range(25)])
    assert int(count) == 200
    np.testing.assert_array_equal(w, 1.0 - 200)


def test_methods_are_functions_to_isinstance():
    class Net:
        @tf.function
        def call(self, x):
            return x * 2

    kind, net = type(tf.function(lambda: None)), Net()
    assert isinstance(net.call, kind) and isinstance(Net.call, kind)
    assert int(net.call(tf.constant(3))) == 6 and int(net.call.get_concrete_function(tf.constant(3))(4)) == 8
    assert int(copy.copy(net.call)(tf.constant(4))) == 8


def test_wrappers_know_what_was_traced():
    double = tf.function(lambda x: x * 2)

    @functools.wraps(double)
    def wrapper(x):
        return double(x)

    assert wrapper._python_function is double.python_function
    double._decorate(lambda f: lambda x: f(x) + 1)
    assert double._python_function is double.python_function and double(tf.constant(1.0)).numpy() == 3
