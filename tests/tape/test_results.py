"""What the walk found, as the program gets it."""

import pytest

import tapeflow as tf
from tapeflow.tape import results


@pytest.mark.parametrize("pack", [list, tuple, lambda xs: dict(enumerate(xs))], ids=["list", "tuple", "dict"])
def test_gradients_have_the_structure_of_the_sources(pack):
    xs = [tf.Variable(2.0), tf.Variable(3.0)]
    sources = pack(xs)
    with tf.GradientTape() as tape:
        y = xs[0] * xs[1] ** 2
    found = tape.gradient(y, sources)
    assert type(found) is type(sources)
    assert [float(g) for g in tf.nest.flatten(found)] == [9.0, 12.0]


def test_a_variable_gets_the_gradients_of_all_its_reads():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        first = v * 1.0
        v.assign(3.0)
        y = first + v * 2.0
    assert float(tape.gradient(y, v)) == 3.0


def test_rows_that_were_gathered_stay_slices_and_their_zeros_are_dense():
    v = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0])
    assert isinstance(tape.gradient(y, v), tf.IndexedSlices)
    assert results.zeros_of(v).numpy().tolist() == [[0.0], [0.0], [0.0]]
