"""What cannot fit into memory is refused before it is made, in TensorFlow's words, with what to do instead."""

import pickle

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.runtime import memory_limits

HUGE = [10**6, 10**6]  # 3.6 TiB of float32: no machine that runs this has them


def refused(make, *words):
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        make()
    text = str(caught.value)
    assert text.startswith("OOM when allocating tensor with shape[")
    for word in ("free", *words):
        assert word in text, text
    return caught.value


@pytest.fixture
def little(monkeypatch):
    """A machine with a megabyte to spare, on which everything is worth the question."""
    monkeypatch.setattr(memory_limits, "free_bytes", lambda: 2.0**20)
    monkeypatch.setattr(memory_limits, "LARGE", 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.ones(HUGE),
        lambda: tf.zeros(HUGE),
        lambda: tf.eye(10**6),
        lambda: tf.range(10**13),
        lambda: tf.range(0.0, 1e13, 1.0),
        lambda: tf.ones_like(tf.broadcast_to(1.0, HUGE)),
        lambda: tf.ones([10**10, 10**10]),
        lambda: tf.fill(HUGE, 2.0) + 1.0,
        lambda: tf.ones([10**6, 1]) * tf.ones([1, 10**6]),
        lambda: tf.matmul(tf.ones([10**6, 1]), tf.ones([1, 10**6])),
        lambda: tf.tile(tf.ones([10**6]), [10**6]),
        lambda: tf.one_hot(tf.range(10**6), 10**6),
        lambda: tf.random.normal(HUGE),
        lambda: tf.function(lambda x: x * tf.transpose(x))(tf.ones([10**6, 1])),
    ],
)
def test_absurd_shapes(make):
    refused(make, "iB")


def test_the_operation_and_the_line_are_named():
    refused(
        lambda: tf.ones([10**6, 1]) * tf.ones([1, 10**6]), "In mul(a: float32 (1000000, 1)", "test_memory_limits.py:"
    )


def test_it_is_a_memory_error_too():
    error = refused(lambda: tf.ones(HUGE))
    assert isinstance(error, MemoryError) and error.error_code == tf.errors.RESOURCE_EXHAUSTED
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)


# ---- derivatives


def doubled(persistent=True):
    x = tf.ones([1000])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * 2.0
    return tape, y, x


@pytest.mark.parametrize("how", [{}, {"parallel_iterations": 7}, {"experimental_use_pfor": False}])
def test_a_jacobian_is_refused_at_its_first_rows(little, how):
    tape, y, x = doubled()
    refused(
        lambda: tape.jacobian(y, x, **how),
        "shape[1000,1000]",
        "the Jacobian takes 3.815 MiB",
        "1 MiB of memory",
        "hvp",
    )


def test_a_refused_tape_still_answers(little):
    tape, y, x = doubled()
    refused(lambda: tape.jacobian(y, x))
    assert tape.gradient(y, x).shape == (1000,)


def test_sources_that_get_nothing_do_not_count(little):
    tape, y, x = doubled()
    unused = tf.Variable(tf.zeros([10**4]))
    assert tape.jacobian(y[:3], [x, unused])[1] is None


def test_batch_jacobians_count_what_they_take(little):
    x = tf.ones([10, 100])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.batch_jacobian(y, x).shape == (10, 100, 100)  # 0.4 MB; the full one would be 4
    refused(lambda: tape.jacobian(y, x))


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobians_and_hessians_of_functions(little, mode):
    x = tf.ones([1000])
    refused(lambda: tf.derivatives.jacobian(lambda x: x * 2.0, mode=mode)(x), "the Jacobian")
    refused(lambda: tf.derivatives.hessian(lambda x: tf.reduce_sum(x**3))(x), "hvp")
    assert tf.derivatives.laplacian(lambda x: tf.reduce_sum(x**2))(x) == 2000.0


@pytest.mark.parametrize("by_number", [True, False])
def test_per_example_gradients_are_counted_before_they_are_computed(little, by_number):
    w, x = tf.Variable(tf.zeros([100, 10])), tf.ones([500, 10])
    called = []

    def loss(w, x):
        called.append(1)
        return tf.reduce_sum(tf.linalg.matvec(w, x))

    each = tf.derivatives.per_example_gradients
    run = (lambda: each(loss)(w.value(), x)) if by_number else (lambda: each(lambda x: loss(w, x), wrt=[w])(x))
    refused(run, "one gradient for each example takes 1.907 MiB", "tape.gradient")
    assert not called


def test_a_map_says_that_its_rows_are_computed_at_once():
    x = tf.ones([1000, 1000])
    refused(
        lambda: tf.vmap(lambda row: row[:, None] * tf.ones([10**9]))(x), "1000 rows are computed at once", "chunk_size"
    )


# ---- tracing


@pytest.mark.parametrize(
    "make", [tf.ones, tf.zeros, lambda shape: tf.ones_like(tf.zeros(shape)), lambda shape: tf.eye(shape[0])]
)
@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_trace_makes_no_large_constants(make, jit_compile):
    f = tf.function(lambda: tf.reduce_sum(make([700, 700])), jit_compile=jit_compile)
    graph = f.get_concrete_function().graph
    assert max([t.shape.num_elements() for t in graph.constants.values()], default=0) < 700 * 700
    assert float(f()) == float(tf.reduce_sum(make([700, 700])))


def test_a_trace_of_absurd_constants_fails_when_it_runs():
    f = tf.function(lambda: tf.ones(HUGE) + 1.0)
    f.get_concrete_function()
    refused(f)


# ---- what is free


def test_what_is_free_is_a_number_of_bytes():
    assert memory_limits.free_bytes() > 0


def test_numbers_in_words():
    words = memory_limits.in_words
    assert [words(b) for b in (0, 1023, 1024, 3.64 * 2**40, 2.0**70)] == [
        "0 bytes",
        "1023 bytes",
        "1 KiB",
        "3.64 TiB",
        "1.049e+06 PiB",
    ]


def test_a_memory_error_that_knows_nothing():
    assert str(memory_limits.of_memory_error(MemoryError())).startswith("OOM when allocating")


def test_a_limit_of_the_process_counts(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (2**62, 2**62))
    assert 2**61 < memory_limits._of_the_process() < 2**62 or np.isinf(memory_limits._of_the_process())


LARGE = 10**6
ABSURD = {
    "a jacobian": lambda x: tf.derivatives.jacobian(lambda x: x**3)(x),
    "a hessian": lambda x: tf.derivatives.hessian(lambda x: tf.reduce_sum(x**3))(x),
    "an outer product": lambda x: x[:, None] * x[None],
    "ones": lambda x: tf.ones([LARGE, LARGE]),
    "zeros like what takes no memory": lambda x: tf.zeros_like(tf.broadcast_to(x[0], [LARGE, LARGE])),
    "tile": lambda x: tf.tile(x, [LARGE]),
    "repeat": lambda x: tf.repeat(x, LARGE),
    "one_hot": lambda x: tf.one_hot(tf.zeros([LARGE], tf.int32), LARGE),
    "eye": lambda x: tf.eye(LARGE),
    "a sample": lambda x: tf.random.normal([LARGE, LARGE]),
    "linspace": lambda x: tf.linspace(0.0, 1.0, LARGE**2),
    "range": lambda x: tf.range(LARGE**2),
    "a sparse tensor": lambda x: tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 0]], [1.0], [LARGE, LARGE])),
    "a ragged tensor": lambda x: tf.ragged.constant([[1]]).to_tensor(shape=[LARGE, LARGE]),
    "NumPy's ones": lambda x: tf.experimental.numpy.ones((LARGE, LARGE)),
    "scatter_nd": lambda x: tf.scatter_nd([[0]], [1.0], [LARGE**2]),
    "bincount": lambda x: tf.math.bincount([1], minlength=LARGE**2),
    "a map": lambda x: tf.vectorized_map(lambda a: a * tf.ones([LARGE // 10]), x),
}


@pytest.mark.parametrize("name", ABSURD)
def test_what_cannot_be_is_refused_in_one_way(name):
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"OOM when allocating tensor with shape\[.* are free"):
        ABSURD[name](tf.ones([LARGE]))


def test_the_shape_of_a_jacobian_is_said_as_it_would_be():
    x = tf.ones([4, 600, 600])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[4,600,600,600,600\].*fewer examples"):
        tape.batch_jacobian(y, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[0] * 2.0
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[600,600,4,600,600\].*hvp"):
        tape.jacobian(y, x)
