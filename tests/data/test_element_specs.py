"""element_spec: known without running anything where functions can be traced; options; optionals."""

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset


def spec(shape, dtype=tf.int64):
    return tf.TensorSpec(shape, dtype)


def choose(x):
    if x > 1:
        y = x * 2
    else:
        y = x
    return y


@pytest.mark.parametrize(
    ("ds", "want"),  # as TensorFlow says
    [
        (lambda: DS.range(3), spec([])),
        (lambda: DS.range(3).batch(2), spec([None])),
        (lambda: DS.range(3).batch(2, drop_remainder=True).repeat().shuffle(3).take(2).prefetch(1), spec([2])),
        (lambda: DS.range(3).map(lambda x: [x, "a"]), (spec([]), spec([], tf.string))),
        (lambda: DS.range(3).map(lambda x: {"a": tf.one_hot(x, 5)}).batch(2), {"a": spec([None, 5], tf.float32)}),
        (lambda: DS.range(3).batch(2).map(lambda x: tf.cast(x, tf.float32)[:, None]), spec([None, 1], tf.float32)),
        (lambda: DS.range(3).map(choose), spec([])),
        (lambda: DS.range(3).enumerate(), (spec([]), spec([]))),
        (lambda: DS.range(3).scan(0.0, lambda s, x: (s, (x, s))), (spec([]), spec([], tf.float32))),
        (
            lambda: DS.from_tensor_slices([[1, 2]]).flat_map(lambda x: DS.from_tensor_slices((x, x))),
            (spec([], tf.int32),) * 2,
        ),
        (
            lambda: DS.from_tensor_slices([[1, 2]]).interleave(lambda x: DS.from_tensors(x).batch(2)),
            spec([None, 2], tf.int32),
        ),
        (lambda: DS.from_tensors([1, 2]).concatenate(DS.from_tensors([1, 2, 3])), spec([None], tf.int32)),
        (lambda: DS.range(9).group_by_window(lambda x: x, lambda k, w: w.batch(2), 2), spec([None])),
        (lambda: DS.range(3).map(lambda x: tf.numpy_function(lambda v: v, [x], tf.int64)).batch(2), spec([None])),
        (lambda: DS.from_generator(list, tf.int32), spec(None, tf.int32)),
        (
            lambda: DS.from_tensors(tf.ragged.constant([[1], [2, 3]])).unbatch().batch(2),
            tf.RaggedTensorSpec([None, None], tf.int32),
        ),
    ],
)
def test_element_spec(ds, want):
    assert ds().element_spec == want == iter(ds()).element_spec == tf.data.experimental.get_structure(ds())


def test_asking_does_not_run_the_function():
    calls = []
    ds = DS.range(3).map(lambda x: calls.append(tf.executing_eagerly()) or x + 1)
    assert ds.element_spec == spec([]) and True not in calls
    needs_values = DS.range(3).map(lambda x: calls.append(tf.executing_eagerly()) or tf.ones([int(x)]))
    assert "known when it is read" in repr(needs_values) and True not in calls
    assert needs_values.element_spec == spec([None], tf.float32)  # what the first two elements have in common
    alike = DS.range(3).map(lambda x: tf.ones([2 + int(x) * 0, int(x)]))
    assert alike.batch(2).element_spec == spec([None, 2, None], tf.float32)


def test_nothing_runs_before_it_is_read():
    def fails(x):
        raise RuntimeError("ran")

    ds = (
        DS.range(3)
        .map(fails)
        .filter(fails)
        .flat_map(fails)
        .batch(2)
        .unbatch()
        .padded_batch(2)
        .cache()
        .prefetch(1)
        .window(2)
    )
    assert isinstance(ds, DS) and "Window" in repr(ds)


def test_datasets_have_specs():
    assert DS.range(4).window(2).element_spec == tf.data.DatasetSpec(spec([]))
    assert (
        tf.data.DatasetSpec.from_value(DS.range(2)) == tf.data.DatasetSpec(spec([])) != tf.data.DatasetSpec(spec([2]))
    )
    assert tf.data.DatasetSpec(spec([])).is_compatible_with(DS.range(2))
    assert not tf.data.DatasetSpec(spec([])).is_compatible_with(DS.from_tensors("a"))
    assert tf.data.IteratorSpec.from_value(iter(DS.range(2))) == tf.data.IteratorSpec(spec([]))
    assert (
        repr(DS.range(2).batch(2))
        == "<_BatchDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>"
    )


def test_elements_must_fit():
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        DS.range(2).concatenate(DS.from_tensors("a"))
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        DS.range(2).concatenate(DS.from_tensors((1, 2)))
    with pytest.raises(ValueError, match=r"must return a `tf\.bool` scalar tensor"):
        list(DS.range(2).filter(lambda x: x))
    with pytest.raises(TypeError, match=r"must return a tf\.data\.Dataset"):
        list(DS.range(2).flat_map(lambda x: x))
    with pytest.raises(TypeError, match="must return a pair"):
        list(DS.range(2).scan(0, lambda s, x: s))
    with pytest.raises(TypeError, match="must match those of the initial state"):
        DS.range(2).reduce(0, lambda s, x: x)
    with pytest.raises(TypeError, match="callable"):
        DS.range(2).map(3)
    with pytest.raises(TypeError, match="whole number"):
        DS.range(2).batch(2.0)


def test_options():
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 2
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    ds = DS.range(3).with_options(options).map(lambda x: x).batch(2)
    assert ds.options().deterministic is False and ds.options().threading.private_threadpool_size == 2
    assert len(ds) == 2 and DS.range(3).options().deterministic is None
    later = tf.data.Options()
    later.experimental_slack = True
    assert options.merge(later).deterministic is False and options.merge(later).experimental_slack is True
    assert options.merge(tf.data.Options()) == options != later
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options"):
        options.foo = 1


def test_optionals():
    it = iter(DS.from_tensors((1, "a")))
    here, gone = it.get_next_as_optional(), it.get_next_as_optional()
    assert here.has_value() and not gone.has_value() and here.get_value()[1].numpy() == b"a"
    assert here.element_spec == (spec([], tf.int32), spec([], tf.string))
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        gone.get_value()
    assert tf.experimental.Optional is tf.data.experimental.Optional
    assert not tf.experimental.Optional.empty(spec([])).has_value()


def test_arrays_out():
    found = list(DS.from_tensor_slices({"a": np.eye(2)}).as_numpy_iterator())
    assert isinstance(found[0]["a"], np.ndarray) and found[1]["a"].tolist() == [0, 1]
    assert isinstance(DS.range(1).as_numpy_iterator(), tf.data.NumpyIterator)
