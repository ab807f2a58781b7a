"""Batchable types in datasets and maps over the first axis."""

import pytest

import tapeflow as tf


class Pair(tf.experimental.BatchableExtensionType):
    a: tf.Tensor
    b: tf.Tensor
    n: int = 3


class Plain(tf.experimental.ExtensionType):
    a: tf.Tensor


ONE = Pair.Spec(tf.TensorSpec([]), tf.TensorSpec([]), 3)


def pairs():
    return Pair([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])


def data():
    return tf.data.Dataset.from_tensor_slices(pairs())


# ---- datasets


def test_slices_batches_and_rows_again():
    assert data().element_spec == ONE and [float(p.b) for p in data()] == [4, 5, 6] and len(data()) == 3
    batches = data().batch(2)
    assert batches.element_spec == Pair.Spec(tf.TensorSpec([None]), tf.TensorSpec([None]), 3)
    assert [p.a.numpy().tolist() for p in batches] == [[1, 2], [3]]
    assert data().batch(2, drop_remainder=True).element_spec.a == tf.TensorSpec([2])
    assert batches.unbatch().element_spec == ONE and [float(p.a) for p in batches.unbatch()] == [1, 2, 3]


def test_beside_other_tensors():
    ds = tf.data.Dataset.from_tensor_slices((pairs(), {"x": [7, 8, 9]})).batch(3)
    [(p, rest)] = ds
    assert p.b.numpy().tolist() == [4, 5, 6] and rest["x"].numpy().tolist() == [7, 8, 9]


def test_functions_take_and_give_them():
    doubled = data().map(lambda p: Pair(p.a * 2.0, p.b))
    assert doubled.element_spec == ONE and [float(p.a) for p in doubled] == [2, 4, 6]
    made = tf.data.Dataset.range(3).map(lambda i: Pair(i, i * 2)).batch(2)
    assert made.element_spec.a == tf.TensorSpec([None], tf.int64)
    assert [p.b.numpy().tolist() for p in made] == [[0, 2], [4]]
    assert [float(p.a) for p in data().filter(lambda p: p.a > 1.0)] == [2, 3]
    assert float(data().reduce(0.0, lambda s, p: s + p.a)) == 6
    assert float(data().reduce(Pair(0.0, 1.0), lambda s, p: Pair(s.a + p.a, s.b * p.b)).b) == 120


def test_pipelines_and_iterators():
    assert [float(p.a) for p in data().repeat(2).skip(2).take(2).cache().prefetch(1)] == [3, 1]
    both = next(iter(tf.data.Dataset.zip((data(), data()))))
    assert float(both[1].b) == 4
    assert iter(data()).element_spec == ONE
    generated = tf.data.Dataset.from_generator(lambda: iter([Pair(1.0, 2.0)]), output_signature=ONE)
    assert [float(p.b) for p in generated] == [2] and generated.element_spec == ONE

    @tf.function
    def total():
        s = 0.0
        for p in data():
            s += p.a * p.b
        return s

    assert float(total()) == 32


def test_types_that_are_not_batchable():
    whole = tf.data.Dataset.from_tensors(Plain([1.0, 2.0]))
    assert next(iter(whole.map(lambda p: p.a))).numpy().tolist() == [1, 2]
    for use in (lambda: tf.data.Dataset.from_tensor_slices(Plain([1.0])), lambda: list(whole.batch(1))):
        with pytest.raises(TypeError, match="BatchableExtensionType"):
            use()


def test_types_inside_types():
    class Outer(tf.experimental.BatchableExtensionType):
        p: Pair
        more: tuple[tf.Tensor, ...]

    value = Outer(Pair([1.0, 2.0], [3.0, 4.0]), ([5, 6],))
    [batch] = tf.data.Dataset.from_tensor_slices(value).batch(2)
    assert bool(batch == value)
    assert bool(tf.map_fn(lambda e: e, value) == value)
    found = tf.vectorized_map(lambda e: Outer(e.p, (e.more[0] * 2,)), value)
    assert found.more[0].numpy().tolist() == [10, 12]


def test_ragged_fields():
    class Words(tf.experimental.BatchableExtensionType):
        r: tf.RaggedTensor
        x: tf.Tensor

    rows = list(tf.data.Dataset.from_tensor_slices(Words(tf.ragged.constant([[[1], [2]], [[2, 3]]]), [1, 2])))
    assert rows[0].r.to_list() == [[1], [2]] and int(rows[1].x) == 2
    one = Words(tf.ragged.constant([[1], [2, 3]]), [1, 2])
    [two] = tf.data.Dataset.from_tensors(one).repeat(2).batch(2)
    assert two.r.to_list() == [[[1], [2, 3]]] * 2 and two.x.shape == [2, 2]
    assert tf.map_fn(lambda w: tf.reduce_sum(w.r) * w.x, one, fn_output_signature=tf.int32).numpy().tolist() == [1, 10]


class Padded(tf.experimental.BatchableExtensionType):
    """Rows of several lengths: the batch remembers them."""

    x: tf.Tensor
    length: tf.Tensor

    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            shape = [batch_size, *spec.x.shape]
            return Padded.Spec(tf.TensorSpec(shape, spec.x.dtype), tf.TensorSpec([batch_size], tf.int32))

        def unbatch(self, spec):
            return Padded.Spec(tf.TensorSpec(spec.x.shape[1:], spec.x.dtype), tf.TensorSpec([], tf.int32))

        def encode(self, spec, value, minimum_rank=0):
            return [value.x, value.length + 100]

        def decode(self, spec, encoded_value):
            return Padded(encoded_value[0], encoded_value[1] - 100)

        def encoding_specs(self, spec):
            return [spec.x, spec.length]

    __batch_encoder__ = Encoder()


def test_encoders_of_the_users():
    ds = tf.data.Dataset.from_tensor_slices(Padded([[1.0, 2.0], [3.0, 4.0]], [1, 2]))
    assert [int(p.length) for p in ds] == [1, 2]
    [batch] = ds.batch(2)
    assert batch.length.numpy().tolist() == [1, 2] and batch.x.shape == [2, 2]
    sums = tf.map_fn(lambda p: p.x[0] + tf.cast(p.length, tf.float32), batch, fn_output_signature=tf.float32)
    assert sums.numpy().tolist() == [2, 5]


# ---- maps


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_map_fn(run):
    products = run(lambda p: tf.map_fn(lambda q: q.a * q.b, p, fn_output_signature=tf.float32))
    assert products(pairs()).numpy().tolist() == [4, 10, 18]
    out = run(lambda x: tf.map_fn(lambda v: Pair(v, v * 2), x, fn_output_signature=ONE))(tf.constant([1.0, 2.0]))
    assert isinstance(out, Pair) and out.b.numpy().tolist() == [2, 4]
    with pytest.raises(TypeError, match=r"map_fn can not consume Plain.Spec"):
        tf.map_fn(lambda p: p.a, Plain([1.0]), fn_output_signature=tf.float32)


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_vectorized_map(run):
    assert run(lambda p: tf.vectorized_map(lambda q: q.a * q.b, p))(pairs()).numpy().tolist() == [4, 10, 18]
    out = run(lambda p: tf.vectorized_map(lambda q: Pair(q.a * 2.0, q.b), p))(pairs())
    assert isinstance(out, Pair) and out.a.numpy().tolist() == [2, 4, 6] and out.n == 3
    made = run(lambda x: tf.vectorized_map(lambda v: {"p": Pair(v, v * v)}, x))(tf.constant([1.0, 3.0]))
    assert made["p"].b.numpy().tolist() == [1, 9]


def test_gradients_go_through_maps():
    p = pairs()
    with tf.GradientTape() as tape:
        tape.watch(p)
        y = tf.reduce_sum(tf.vectorized_map(lambda q: q.a * q.b, p))
    assert tape.gradient(y, p).a.numpy().tolist() == [4, 5, 6]
