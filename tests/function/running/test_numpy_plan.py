"""NumPy plans: memory is written over only where nobody can see it, freed as early as eagerly, and errors name the
user's line."""

import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tapeflow.core.runtime.floating import quiet
from tapeflow.function.control.loops import Loop
from tests.ops.samples import all_samples

SAMPLES = all_samples()
SIDE = 80  # 6,400 elements: large enough to be written over


def plan_of(function, *args):
    return function.get_concrete_function(*args).function.run.source


def large(seed=0, shape=(SIDE, SIDE)):
    return tf.constant(np.random.default_rng(seed).normal(size=shape))


# ---- memory


def test_a_chain_runs_in_one_buffer():
    f = tf.function(lambda x: tf.tanh(tf.exp(-x) * 2.0 + 1.0))
    assert plan_of(f, large()).count("out=") == 4  # all but the first, whose memory is the caller's
    np.testing.assert_array_equal(f(large()), f.python_function(large()))


@pytest.mark.parametrize(
    "view",
    [
        lambda y: tf.reshape(y, [-1]), tf.transpose, lambda y: y[::2], lambda y: y[3], lambda y: tf.reverse(y, [0]),
        tf.identity, lambda y: tf.broadcast_to(y, [3, SIDE, SIDE]), lambda y: tf.split(y, 2)[1],
        lambda y: tf.unstack(y)[5], lambda y: tf.linalg.diag_part(y),
        lambda y: tf.transpose(tf.reshape(y, [10, 8, SIDE]))[1:],
    ],
)  # fmt: skip
def test_what_a_view_shows_is_not_written_over(view):
    def f(x):
        y = tf.exp(x)
        seen = view(y)
        z = tf.sin(y) * 2.0  # the last to use y itself
        return seen * 1.0, seen, z

    for got, want in zip(tf.function(f)(large()), f(large()), strict=True):
        np.testing.assert_array_equal(got, want)


def test_inputs_captures_constants_and_outputs_stay():
    x, captured = large(1), large(2)
    copies = x.numpy(), captured.numpy()
    f = tf.function(lambda x: (y := tf.exp(x), tf.sin(y), -x, -captured, -tf.ones([SIDE, SIDE], tf.float64)))
    first = f(x)
    kept = [t.numpy() for t in first]
    f(large(3))
    for have, want in zip([x, captured, *first], [*copies, *kept]):
        np.testing.assert_array_equal(have, want)
    assert not np.shares_memory(first[0].array, first[1].array)


def test_variables_are_not_written_over():
    v = tf.Variable(large(1))
    before = v.value()
    kept = before.numpy()
    f = tf.function(lambda x: (v * 1.0, v.assign(tf.exp(v) + x), tf.identity(v), v + 1.0))
    _, _, seen, _ = f(large(2))
    now = seen.numpy()
    np.testing.assert_array_equal(before, kept)
    v.assign_add(large(4))
    f(large(3))
    np.testing.assert_array_equal(seen, now)


UNARY = [
    tf.exp,
    tf.sin,
    tf.tanh,
    tf.negative,
    tf.nn.relu,
    tf.nn.softmax,
    tf.square,
    lambda x: tf.cast(tf.cast(x, tf.float32), tf.float64),
]
BINARY = [
    tf.add,
    tf.subtract,
    tf.multiply,
    tf.maximum,
    tf.matmul,
    lambda a, b: tf.where(a > b, a, b),
    lambda a, b: tf.concat([a[:40], b[40:]], 0),
]
VIEWS = [
    tf.transpose, tf.identity, lambda x: tf.reverse(x, [1]),
    lambda x: tf.reshape(tf.transpose(tf.reshape(x, [-1, 16])), [SIDE, SIDE]),
    lambda x: tf.broadcast_to(x[7], [SIDE, SIDE]), lambda x: tf.concat(tf.split(x, 2)[::-1], 0),
    lambda x: tf.stack(tf.unstack(x), 1), lambda x: tf.transpose(tf.transpose(x)),
    lambda x: tf.broadcast_to(x[:, 3:4], [SIDE, SIDE]),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_agree_with_eager(seed):
    """Values, views of values and what is computed from both, in any order, some of them returned."""
    rng = np.random.default_rng(seed)
    steps = []
    for n in range(3, 21):
        kind = (UNARY, BINARY, VIEWS)[rng.integers(3)]
        recent = [int(rng.integers(max(0, n - 5), n)) for _ in range(2)]
        steps.append((kind[rng.integers(len(kind))], recent[: 2 if kind is BINARY else 1]))
    returned = [int(k) for k in rng.integers(0, 21, 4)]
    v = tf.Variable(large(9) / 10.0)

    def program(x, y):
        values = [x / 10.0, y, v.value()]
        for function, places in steps:
            made = function(*[values[p] for p in places])
            values.append(tf.clip_by_value(made, -3.0, 3.0) if len(values) % 3 else made)
        v.assign(values[returned[0]])
        return [values[p] for p in returned]

    x, y = large(1), large(2)
    copies = x.numpy(), y.numpy()
    start = v.numpy()
    want = program(x, y)
    end = v.numpy()
    v.assign(start)
    traced = tf.function(program)
    got = traced(x, y)
    kept = [g.numpy() for g in got]
    for have, expected in zip([*got, v, x, y], [*want, end, *copies]):
        np.testing.assert_array_equal(have, expected)
    traced(large(3), large(4))
    for have, expected in zip([*got, x, y], [*kept, *copies]):  # another call changes nothing that is held
        np.testing.assert_array_equal(have, expected)


def test_gradients_of_random_large_programs():
    def loss(x):
        y = tf.exp(-x) * tf.transpose(x)
        return tf.reduce_sum(tf.tanh(y) * tf.reshape(tf.sin(y), [SIDE, SIDE]) + y[::-1])

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x)

    np.testing.assert_array_equal(tf.function(slope)(large()), slope(large()))


MAKES_NEW = sorted(name for name, prim in REGISTRY.items() if prim.makes_new)


def large_like(array, elementwise):
    """Some kernels have another way for large arrays."""
    array = np.asarray(array)
    return np.resize(array, (70, 70)) if elementwise and array.ndim else array


@pytest.mark.parametrize("name", MAKES_NEW)
def test_what_is_said_to_be_new_is_new(name):
    prim = REGISTRY[name]
    for sample in SAMPLES[name]:
        for widen in {False, bool(prim.elementwise)}:
            args = [large_like(a, widen) for a in sample.args]
            copies = [a.copy() for a in args]
            with quiet():
                out = prim.on("numpy", np)(*args, **sample.params)
            outs = [o for o in (out if prim.outputs else [out]) if isinstance(o, np.ndarray) and o.size]
            for k, made in enumerate(outs):
                assert not any(np.shares_memory(made, other) for other in [*args, *outs[:k]]), name
                assert made.flags.writeable and np.all((np.array(made.strides) != 0) | (np.array(made.shape) < 2)), (
                    name
                )
            for have, want in zip(args, copies):
                np.testing.assert_array_equal(have, want)


TRAINING = """
import sys, tracemalloc
import numpy as np
import tapeflow as tf
rng = np.random.default_rng(0)
layers = [tf.Variable(rng.normal(size=(256, 256)).astype("f") / 16) for _ in range(12)]
x = tf.constant(rng.normal(size=(1024, 256)).astype("f"))
def step(x):
    with tf.GradientTape() as tape:
        y = x
        for w in layers:
            y = tf.nn.relu(y @ w)
        loss = tf.reduce_mean(y**2)
    for w, g in zip(layers, tape.gradient(loss, layers)):
        w.assign_sub(0.01 * g)
    return loss
run = tf.function(step) if sys.argv[1] == "plan" else step
run(x)
tracemalloc.start()
run(x)
print(tracemalloc.get_traced_memory()[1])
"""


def test_a_training_step_takes_no_more_memory_than_eagerly():
    run = lambda how: subprocess.run([sys.executable, "-c", TRAINING, how], capture_output=True, text=True, check=True)
    eager, plan = (int(run(how).stdout) for how in ("eager", "plan"))
    assert plan <= eager * 1.02


# ---- errors


@pytest.mark.parametrize(
    "f,args,message",
    [
        (lambda x, i: tf.gather(x, i) * 2.0, (tf.ones([3]), tf.constant([7])), r"indices\[0\] = 7 is not in \[0, 3\)"),
        (
            lambda i: tf.gather(tf.constant([1.0, 2.0]), i),
            (tf.constant([7]),),
            r"In gather\(x: float32 \(2,\), indices: int32 \(1,\)",
        ),
        (lambda a, b: a // b, (tf.constant([1]), tf.constant([0])), r"Integer division by zero"),
        (
            tf.linalg.cholesky,
            (tf.constant([[1.0, 2.0], [2.0, 1.0]]),),
            r"Cholesky .*\n  In cholesky\(x: float32 \(2, 2\)\)",
        ),
    ],
)
def test_errors_name_the_operation_and_the_line(f, args, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as found:
        tf.function(f)(*args)
    assert " at " in str(found.value)


def test_an_error_names_the_line_of_the_program():
    def f(x, i):
        y = tf.exp(x)
        return tf.gather(y, i) + 1.0

    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"test_numpy_plan.py:{f.__code__.co_firstlineno + 2}"):
        tf.function(f)(tf.ones([3]), tf.constant([5]))


def test_memory_of_another_dtype_is_not_written_over():
    """NumPy would write truth values into floating memory without a word."""
    odd = tf.function(lambda x: tf.math.is_nan(x * 2.0))
    assert odd(tf.ones([1 << 13])).numpy().dtype == np.bool_


# ---- arrays that loops write


def owned(f, *args):
    """How many arrays the loop of a function changes in place."""
    [loop] = [n.prim for n in f.get_concrete_function(*args).graph.nodes if isinstance(n.prim, Loop)]
    return len(loop.step.stepping(loop.state)[1])


@pytest.mark.parametrize("name", [name for name, prim in REGISTRY.items() if prim.over])
def test_kernels_write_into_what_they_are_given(name):
    prim = REGISTRY[name]
    kernel, at = prim.on("numpy", np), prim.inputs.index(prim.over)
    for sample in SAMPLES[name]:
        arrays = [np.array(a) for a in sample.args]
        want = kernel(*[a.copy() for a in arrays], **sample.params)
        got = kernel(*arrays, **sample.params, out=arrays[at])
        assert got is arrays[at]
        np.testing.assert_array_equal(got, want)


ROWS = tf.constant(np.arange(12.0, dtype=np.float32).reshape(4, 3))


def test_a_loop_writes_a_tensor_array_in_place():
    """Each write used to copy the whole array."""

    @tf.function
    def f(x):
        array = tf.TensorArray(tf.float32, 4, element_shape=[3])
        for i in tf.range(4):
            x = x * 2.0
            array = array.write(i, x)
        return array.stack()

    want = np.cumprod(np.full((4, 3), 2.0), 0)
    for _ in range(2):
        np.testing.assert_array_equal(f(tf.ones([3])), want)
    assert owned(f, tf.ones([3])) == 1


def test_what_a_loop_begins_with_stays_what_it_is():
    @tf.function
    def f(x, y):
        array = tf.TensorArray(tf.float32, 4, element_shape=[3]).unstack(x)
        for i in tf.range(2):
            array = array.write(i, y)
        return array.stack()

    before = ROWS.numpy().copy()
    np.testing.assert_array_equal(f(ROWS, tf.zeros([3])), np.concatenate([np.zeros((2, 3)), before[2:]]))
    np.testing.assert_array_equal(ROWS, before)


def test_what_the_iteration_before_gave_is_kept_where_somebody_has_it():
    @tf.function
    def twice(x):
        one = other = tf.TensorArray(tf.float32, 3, element_shape=[3]).unstack(x[:3])
        for i in tf.range(3):
            other = one
            one = one.write(i, x[3])
        return one.stack(), other.stack()

    one, other = twice(ROWS)
    np.testing.assert_array_equal(one, np.tile(ROWS[3], (3, 1)))
    np.testing.assert_array_equal(other, np.stack([ROWS[3], ROWS[3], ROWS[2]]))

    @tf.function
    def read(x):
        array = tf.TensorArray(tf.float32, 3, element_shape=[3], clear_after_read=False).unstack(x[:3])
        seen = tf.zeros([3])
        for i in tf.range(3):
            seen += array.read(i)
            array = array.write(i, x[3])
            seen += array.read(i)
        return seen, array.stack()

    seen, array = read(ROWS)
    np.testing.assert_array_equal(seen, ROWS[0] + ROWS[1] + ROWS[2] + 3.0 * ROWS[3])
    np.testing.assert_array_equal(array, np.tile(ROWS[3], (3, 1)))


def test_each_history_of_an_array_is_kept():
    """Scan gives the array of every iteration."""

    @tf.function
    def f(x):
        start = tf.zeros([4, 3])
        ids = tf.range(4)
        return tf.scan(lambda a, i: tf.tensor_scatter_nd_update(a, [[i]], [x]), ids, start)

    got = f(tf.ones([3])).numpy()
    np.testing.assert_array_equal(got[:, :, 0], np.tri(4))


def test_gradients_of_what_is_written_in_place():
    def f(x):
        array = tf.TensorArray(tf.float32, 4, element_shape=[3])
        for i in tf.range(4):
            x = tf.sin(x) * x
            array = array.write(3 - i, x)
        return tf.reduce_sum(array.stack() ** 2)

    def gradients(f):
        x = tf.constant([0.5, 1.0, 1.5])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            slope = inner.gradient(y, x)
        return slope, outer.gradient(slope, x)

    for got, want in zip(gradients(tf.function(f)), gradients(f)):
        np.testing.assert_allclose(got, want, 1e-5)
