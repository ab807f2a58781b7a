"""Candidate samplers: the few classes that sampled losses (`tf.nn.sampled_softmax_loss`, `tf.nn.nce_loss`) look at."""

import csv
import math
from typing import Any, NamedTuple

import numpy as np

from tapeflow.api.random import draws
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import dtype_clash, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike
from tapeflow.vectorize.values import values_of


class Candidates(NamedTuple):
    """Classes that were drawn, and how often each true class and each drawn class was to be expected among them."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


def _true(true_classes: Any, num_true: Any) -> Tensor:
    true = as_tensor(true_classes)
    if true.dtype.name != "int64":
        raise dtype_clash(
            f"true_classes must be an int64 tensor, got {true.dtype.name}. Use tf.cast(labels, tf.int64)."
        )
    if true.ndim != 2 or true.sizes[1] != int(num_true):
        raise invalid(
            f"true_classes must be a matrix with num_true={int(num_true)} columns, got shape {tuple(true.shape)}."
        )
    return true


def _sample(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: Any,
    range_max: Any,
    seed: Any,
    law: str,
    probability: Any,
    weights: Any = (),
) -> Candidates:
    true, count = _true(true_classes, num_true), int(num_sampled)
    values = values_of(true)
    if values.size and not 0 <= values.min() <= values.max() < range_max:
        raise invalid(
            f"true_classes must be from 0 to {range_max - 1}, got values from {values.min()} to {values.max()}."
        )
    weights = np.array(weights, np.float64)
    if law == "weights" and not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise invalid("Counts of classes must be finite, not negative, and not all of them 0.")
    key = draws.next_key(seed, law, count, unique, each=512)
    classes, tries = ops.sample_classes(
        key, EagerTensor(weights), law=law, range_max=int(range_max), num_sampled=count, unique=bool(unique)
    )

    def expected(c: Tensor) -> Tensor:
        if type(c) is type(tries) is EagerTensor:
            p = EagerTensor(probability(c.array))
        else:  # in a vectorised function: by a table of all classes
            p = ops.take(EagerTensor(probability(np.arange(int(range_max)))), c, axis=0)
        often = ops.cast(tries, dtype=np.dtype("float64"))
        found = ops.where(ops.equal(tries, count), p * count, -ops.expm1(often * ops.log1p(-p)))
        return ops.cast(found, dtype=np.dtype("float32"))

    return Candidates(classes, expected(true), expected(classes))


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes below `range_max`, all equally likely. `unique` draws until there are `num_sampled` different ones.

    >>> labels = tf.constant([[3], [7]], tf.int64)
    >>> drawn = tf.random.uniform_candidate_sampler(labels, 1, num_sampled=4, unique=False, range_max=10)
    >>> drawn.sampled_candidates.shape, drawn.true_expected_count.numpy().ravel()
    (TensorShape([4]), array([0.4, 0.4], dtype=float32))
    """
    probability = lambda c: np.full(c.shape, 1 / range_max)
    return _sample(true_classes, num_true, num_sampled, unique, range_max, seed, "uniform", probability)


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes below `range_max` by Zipf's law, log(1 + 1/(class+1)) / log(range_max+1): for vocabularies sorted by
    frequency.

    >>> labels = tf.constant([[0], [9]], tf.int64)
    >>> drawn = tf.random.log_uniform_candidate_sampler(labels, 1, num_sampled=4, unique=False, range_max=10)
    >>> often, seldom = drawn.true_expected_count.numpy().ravel()
    >>> bool(often > 7 * seldom)
    True
    """
    probability = lambda c: np.log1p(1 / (c + 1.0)) / math.log(range_max + 1)
    return _sample(true_classes, num_true, num_sampled, unique, range_max, seed, "log_uniform", probability)


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes by how often they were seen. Called eagerly, each call begins with every class seen once: all equally
    likely.

    >>> labels = tf.constant([[3]], tf.int64)
    >>> tf.random.learned_unigram_candidate_sampler(labels, 1, 5, True, range_max=5).sampled_candidates.shape
    TensorShape([5])
    """
    return uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed)


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: TensorLike = (),
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes by given weights: `unigrams`, or the last column of the CSV file `vocab_file`, to the power
    `distortion`.

    The first `num_reserved_ids` classes have weight 0; of several shards only the classes of this one are drawn.

    Args:
        vocab_file: A CSV file with a class to a line, whose last column is the weight.
        distortion: The power to which weights are raised; 0: all the same.
        num_reserved_ids: How many classes before them have weight 0.
        num_shards: Into how many parts the classes are divided.
        shard: Which of them is drawn from.
        unigrams: The weights, where there is no file.

    Raises:
        InvalidArgumentError: If there are not `range_max` classes, or a true class is none of them.

    >>> labels = tf.constant([[1]], tf.int64)
    >>> drawn = tf.random.fixed_unigram_candidate_sampler(labels, 1, 2, False, range_max=3, unigrams=[0., 1., 3.])
    >>> drawn.true_expected_count.numpy()
    array([[0.5]], dtype=float32)
    """
    if vocab_file:
        with open(vocab_file, newline="", encoding="utf-8") as file:
            unigrams = [float(row[-1]) for row in csv.reader(file) if row]
    weights = np.concatenate([np.zeros(int(num_reserved_ids)), np.asarray(unigrams, np.float64) ** distortion])
    if len(weights) != int(range_max):
        raise invalid(
            f"range_max is {range_max}, but there are {len(weights)} classes (reserved ones and unigrams together)."
        )
    weights[np.arange(len(weights)) % int(num_shards) != int(shard)] = 0
    total = weights.sum()
    return _sample(
        true_classes, num_true, num_sampled, unique, range_max, seed, "weights", lambda c: weights[c] / total, weights
    )


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """All classes 0 … `num_sampled` - 1, each once: to test a sampled loss against the full one.

    >>> tf.random.all_candidate_sampler(tf.constant([[2]], tf.int64), 1, 4, True).sampled_candidates.numpy()
    array([0, 1, 2, 3])
    """
    true, count = _true(true_classes, num_true), int(num_sampled)
    ones = lambda shape: EagerTensor(np.ones(shape, np.float32))
    return Candidates(EagerTensor(np.arange(count)), ones(true.sizes), ones(count))
