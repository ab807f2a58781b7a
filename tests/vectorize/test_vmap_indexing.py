"""Programs that read, write, sort and count by index, mapped over examples: against the examples one by one."""

import numpy as np
import pytest

import tapeflow as tf

rng = np.random.default_rng(0)
ROWS = 4
TABLE = tf.constant(rng.normal(size=(10, 3)))


def floats(*shape):
    return tf.constant(rng.normal(size=(ROWS, *shape)))


def numbers(low, high, *shape):
    return tf.constant(rng.integers(low, high, (ROWS, *shape)), tf.int32)


PROGRAMS = {
    "an embedding": (lambda i: tf.nn.embedding_lookup(TABLE, i), numbers(0, 10, 5)),
    "gather along an axis": (lambda x, i: tf.gather(x, i, axis=-1), floats(3, 6), numbers(0, 6, 2)),
    "gather with batch_dims": (
        lambda x, i: tf.gather(x, i, axis=2, batch_dims=1),
        floats(2, 3, 6),
        numbers(0, 6, 2, 2),
    ),
    "gather_nd": (tf.gather_nd, floats(3, 6), numbers(0, 3, 5, 2)),
    "gather_nd with batch_dims": (lambda x, i: tf.gather_nd(x, i, batch_dims=1), floats(3, 6), numbers(0, 6, 3, 1)),
    "scatter_nd": (lambda i, u: tf.scatter_nd(i, u, [6, 2]), numbers(0, 6, 4, 1), floats(4, 2)),
    "adding at indices": (tf.tensor_scatter_nd_add, floats(6), numbers(0, 6, 4, 1), floats(4)),
    "the larger at indices": (tf.tensor_scatter_nd_max, floats(6), numbers(0, 6, 4, 1), floats(4)),
    "sorted segments": (lambda x: tf.math.segment_mean(x, [0, 0, 1, 3]), floats(4, 2)),
    "means of segments": (lambda x, i: tf.math.unsorted_segment_mean(x, i, 3), floats(5, 2), numbers(-1, 3, 5)),
    "products of segments": (lambda x, i: tf.math.unsorted_segment_prod(x, i, 3), floats(5, 2), numbers(-1, 3, 5)),
    "a sort along the first axis": (lambda x: tf.sort(x, axis=0, direction="DESCENDING"), floats(4, 3)),
    "the largest two": (lambda x: tf.math.top_k(x, 2), floats(2, 5)),
    "one_hot": (lambda i: tf.one_hot(i, 4, axis=0, on_value=2.0, off_value=-1.0), numbers(-1, 5, 3)),
    "a histogram": (lambda x: tf.histogram_fixed_width(x, [-1.0, 1.0], 5), floats(20)),
    "searchsorted": (lambda s, v: tf.searchsorted(tf.sort(s), v), floats(5), floats(3)),
    "boolean_mask": (lambda x: tf.boolean_mask(x, [True, False, True], axis=1), floats(2, 3)),
    "masks with as many elements": (lambda x: tf.boolean_mask(x, tf.argsort(tf.argsort(x)) >= 2), floats(5)),
    "dynamic_partition": (lambda x: tf.dynamic_partition(x, [0, 1, 0], 2), floats(3)),
    "reverse_sequence": (lambda x, n: tf.reverse_sequence(x, n, seq_axis=1), floats(3, 5), numbers(0, 6, 3)),
    "slices": (lambda x: x[::-1, ..., tf.newaxis, 1:], floats(3, 4)),
    "a row times a sparse matrix": (
        lambda x: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(np.diag([1.0, 2.0, 3.0])), x),
        floats(3, 2),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, *given = PROGRAMS[name]
    alone = [tf.nest.flatten(f(*[x[i] for x in given])) for i in range(ROWS)]
    for got, want in zip(tf.nest.flatten(tf.vmap(f)(*given)), zip(*alone), strict=True):
        np.testing.assert_allclose(got.numpy(), np.stack(want), rtol=1e-12)


@pytest.mark.parametrize("name", [n for n, (_, *given) in PROGRAMS.items() if given[0].dtype.is_floating])
def test_gradients_inside_through_and_of_jacobians(name):
    f, x, *rest = PROGRAMS[name]
    outs = [o for o in tf.nest.flatten(f(x[0], *[r[0] for r in rest])) if o.dtype.is_floating]
    if not outs:
        return
    weights = [tf.constant(rng.normal(size=o.shape)) for o in outs]

    def loss(x, *rest):
        found = [o for o in tf.nest.flatten(f(tf.sin(x), *rest)) if o.dtype.is_floating]
        return tf.add_n([tf.reduce_sum(w * o * o) for w, o in zip(weights, found)])

    def gradient(x, *rest):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x, *rest)
        return tf.convert_to_tensor(tape.gradient(y, x))

    alone = np.stack([gradient(x[i], *[r[i] for r in rest]).numpy() for i in range(ROWS)])
    np.testing.assert_allclose(tf.vmap(gradient)(x, *rest).numpy(), alone, rtol=1e-9, atol=1e-12)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.vmap(loss)(x, *rest)
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(y, x)).numpy(), alone, rtol=1e-9, atol=1e-12)
    jacobian = tape.jacobian(y, x).numpy()
    np.testing.assert_allclose(jacobian[range(ROWS), range(ROWS)], alone, rtol=1e-9, atol=1e-12)

    # the Hessian of one example: by a Jacobian of the gradient, and in one direction by forward mode
    first = x[0], *[r[0] for r in rest]
    with tf.GradientTape() as tape:
        tape.watch(first[0])
        g = gradient(*first)
    hessian = tape.jacobian(g, first[0], unconnected_gradients="zero").numpy()
    v = tf.constant(rng.normal(size=first[0].shape))
    with tf.autodiff.ForwardAccumulator(first[0], v) as forward:
        g = gradient(*first)
    pushed = forward.jvp(g, unconnected_gradients="zero").numpy()
    np.testing.assert_allclose(pushed, np.tensordot(hessian, v.numpy(), v.ndim), rtol=1e-9, atol=1e-12)


def test_the_gradient_of_an_embedding_for_each_example():
    table = tf.Variable(rng.normal(size=(7, 2)))
    words, labels = numbers(0, 7, 3), floats(2)

    def gradient(words, label):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.reduce_mean(tf.gather(table, words), 0) - label) ** 2)
        return tape.gradient(loss, table)

    mapped = tf.vmap(gradient)(words, labels)
    assert mapped.shape == (ROWS, 7, 2)
    for i in range(ROWS):
        np.testing.assert_allclose(mapped[i].numpy(), gradient(words[i], labels[i]).numpy(), rtol=1e-12)


def test_every_row_of_one_against_every_row_of_the_other():
    x, i = floats(5), numbers(0, 5, 2)
    pairs = tf.vmap(tf.vmap(tf.gather, in_axes=(None, 0)), in_axes=(0, None))(x, i)
    np.testing.assert_array_equal(pairs.numpy(), x.numpy()[:, i.numpy()])


def test_choices_differ_from_row_to_row_if_they_should():
    logits = tf.zeros((ROWS, 1, 1000))
    draw = lambda x: tf.random.categorical(x, 6)
    same, different = (tf.vmap(draw, randomness=r)(logits).numpy() for r in ("same", "different"))
    assert same.shape == different.shape == (ROWS, 1, 6)
    assert (same == same[0]).all() and len({row.tobytes() for row in different}) == ROWS
    shuffled = tf.vmap(tf.random.shuffle, randomness="different")(tf.tile(tf.range(50)[None], [ROWS, 1])).numpy()
    assert (np.sort(shuffled) == np.arange(50)).all() and len({row.tobytes() for row in shuffled}) == ROWS


def test_strings_for_each_row():
    names = tf.constant([["a", "b"], ["c", "d"]])
    out = tf.vmap(lambda row, end: tf.strings.join([row, end, "!"], "-"))(names, tf.constant(["x", "y"]))
    assert out.numpy().tolist() == [[b"a-x-!", b"b-x-!"], [b"c-y-!", b"d-y-!"]]
    assert tf.vmap(lambda row: tf.strings.reduce_join(row))(names).numpy().tolist() == [b"ab", b"cd"]
