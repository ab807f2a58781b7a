"""`tf.data` as type checkers see it: a dataset knows what its elements are."""

# pyright: strict

from typing import assert_type

import numpy as np

import tapeflow as tf


def numbers() -> tf.data.Dataset[tf.Tensor]:
    ds = tf.data.Dataset.range(10).filter(lambda n: n > 2).map(lambda n: tf.cast(n, tf.float32))
    assert_type(ds, tf.data.Dataset[tf.Tensor])
    return ds.shuffle(10).batch(2).prefetch(tf.data.AUTOTUNE)


def twice(row: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return row * 2.0, label


def pairs(x: np.ndarray[tuple[int, int], np.dtype[np.float32]], labels: list[int]) -> float:
    ds = tf.data.Dataset.from_tensor_slices((x, labels))
    assert_type(ds, tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
    odd = ds.filter(lambda row, label: label % 2 == 1).map(lambda row, label: row)
    doubled = ds.map(twice).repeat(2).batch(3)
    assert_type(doubled, tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
    total = float(len(list(odd)))
    for row, label in doubled:
        assert_type(row, tf.Tensor)
        total += float(tf.reduce_sum(row)) + float(tf.reduce_sum(label))
    for i, (row, _) in ds.enumerate():
        total += float(i) * float(row[0])
    return total


def records(x: list[float]) -> list[str]:
    ds = tf.data.Dataset.from_tensor_slices({"x": x})
    names = [str(key) for element in ds for key in element]
    both = tf.data.Dataset.zip(tf.data.Dataset.range(2), numbers())
    assert_type(both, tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
    it = iter(numbers())
    assert_type(next(it), tf.Tensor)
    assert_type(it.get_next(), tf.Tensor)
    return [*names, str(len(list(both)))]


def added(a: tf.Tensor, b: tf.Tensor, c: tf.Tensor) -> tf.Tensor:
    return a + b + c


def combined(numbers: tf.data.Dataset[tf.Tensor]) -> list[float]:
    named = tf.data.Dataset.zip({"a": numbers, "b": numbers.unbatch()})
    assert_type(named, tf.data.Dataset[dict[str, tf.Tensor]])
    three = tf.data.Dataset.zip(numbers, numbers, numbers)
    assert_type(three, tf.data.Dataset[tuple[tf.Tensor, tf.Tensor, tf.Tensor]])
    assert_type(three.map(added), tf.data.Dataset[tf.Tensor])
    parts = numbers.flat_map(lambda rows: tf.data.Dataset.from_tensor_slices(rows))
    assert_type(parts, tf.data.Dataset[tf.Tensor])
    both = tf.data.Dataset.sample_from_datasets([parts, parts.take(1)])
    assert_type(both, tf.data.Dataset[tf.Tensor])
    for window in parts.window(2):
        assert_type(window, tf.data.Dataset[tf.Tensor])
    last: tf.Tensor = parts.reduce(tf.constant(0.0), lambda total, x: total + x)
    return [float(last), float(next(iter(named))["b"])]


if __name__ == "__main__":
    print(pairs(np.ones((4, 2), np.float32), [0, 1, 2, 3]), records([1.0, 2.0]), combined(numbers()))
