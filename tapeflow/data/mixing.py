"""`zip`, `choose_from_datasets`, `sample_from_datasets`, …: several datasets made one."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.dtypes import int64
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.random import streams
from tapeflow.engines.numpy.random.samplers.words import uniform

from .element_specs import Cell, common
from .elements import Calls
from .iterators import Element
from .pipeline import Make, Pipeline, new, of_rows, structure_of_datasets
from .rows import joined
from .sources import generator, in_turn, seeds_of, stream

if TYPE_CHECKING:
    from .dataset import Dataset


A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
K = TypeVar("K")


class Mixing(Pipeline[Element]):
    """`Dataset.zip`, `choose_from_datasets`, `sample_from_datasets`, `rejection_resample`."""

    @overload
    @staticmethod
    def zip(a: "Dataset[A]", b: "Dataset[B]", /, *, name: str | None = None) -> "Dataset[tuple[A, B]]": ...
    @overload
    @staticmethod
    def zip(pair: "tuple[Dataset[A], Dataset[B]]", /, *, name: str | None = None) -> "Dataset[tuple[A, B]]": ...
    @overload
    @staticmethod
    def zip(
        a: "Dataset[A]", b: "Dataset[B]", c: "Dataset[C]", /, *, name: str | None = None
    ) -> "Dataset[tuple[A, B, C]]": ...
    @overload
    @staticmethod
    def zip(
        three: "tuple[Dataset[A], Dataset[B], Dataset[C]]", /, *, name: str | None = None
    ) -> "Dataset[tuple[A, B, C]]": ...
    @overload
    @staticmethod
    def zip(named: "dict[K, Dataset[A]]", /, *, name: str | None = None) -> "Dataset[dict[K, A]]": ...
    @overload
    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> "Dataset[Any]": ...
    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> "Dataset[Any]":
        """Elements made of one element of each dataset, as long as all have some.

        Args:
            *args: Datasets, or one tuple or dict of them, whose structure the elements have.
            datasets: That tuple or dict, by name.

        Raises:
            TypeError: If a list is given, or something that is no dataset.

        >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
        >>> [(x.numpy().item(), y.numpy().item()) for x, y in tf.data.Dataset.zip(a, b)]
        [(0, 5), (1, 6)]
        """
        if bool(args) == (datasets is not None):
            raise TypeError(
                "zip takes datasets, or one structure of them: `Dataset.zip(a, b)` or `Dataset.zip((a, b))`."
            )
        structure = datasets if datasets is not None else args if len(args) > 1 else args[0]
        parts = structure_of_datasets(structure, "zip")
        counts = [p._count for p in parts]
        count = None if None in counts else min(counts)
        if all(p._spec.known is not None for p in parts):
            spec = Cell(nest.pack_as(structure, [p._spec.known for p in parts]))
        else:
            spec = Cell(find=lambda: nest.pack_as(structure, [p.element_spec for p in parts]))
        if all(p._whole for p in parts):  # rows of all of them by the same number
            rows = joined(nest.pack_as(structure, [p._rows.structure for p in parts]), [p._rows for p in parts])
            return of_rows(rows, lambda: iter(range(count)), count, spec, "Zip", whole=True)  # type: ignore[arg-type]
        if type(structure) is tuple and list(structure) == parts:
            return new(lambda: zip(*[p._make() for p in parts]), count, spec, "Zip")
        make = lambda: (nest.pack_as(structure, list(row)) for row in zip(*[p._make() for p in parts]))
        return new(make, count, spec, "Zip")

    @staticmethod
    def choose_from_datasets(
        datasets: "Sequence[Dataset[A]]", choice_dataset: "Dataset[Any]", stop_on_empty_dataset: bool = True
    ) -> "Dataset[A]":
        """Elements of the datasets whose numbers `choice_dataset` gives, one after the other.

        Args:
            datasets: A list of datasets.
            choice_dataset: A dataset of scalar int64 numbers of datasets, from 0.
            stop_on_empty_dataset: True ends with the first dataset that is chosen and has no more elements; False
                passes it over.

        Raises:
            TypeError: If `choice_dataset` is not one of scalar int64.
            InvalidArgumentError: If, while iterating, there is no dataset with that number.

        >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
        >>> ds = tf.data.Dataset.choose_from_datasets([a, b], tf.data.Dataset.range(2).repeat(2))
        >>> [x.numpy().item() for x in ds]
        [0, 10, 1, 11]
        """
        parts = _datasets(datasets)
        if not isinstance(choice_dataset, Pipeline):
            raise TypeError(f"Invalid `choice_dataset`. It must be a `tf.data.Dataset` but is {type(choice_dataset)}.")
        known = choice_dataset._spec.known
        if known is not None and known != TensorSpec([], int64):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{choice_dataset.element_spec}."
            )

        def make() -> Iterator:
            return _chosen(
                [p._make for p in parts], (int(c.array) for c in choice_dataset._make()), stop_on_empty_dataset
            )

        return new(make, None, _common_spec(parts), "DirectedInterleave")

    @staticmethod
    def sample_from_datasets(
        datasets: "Sequence[Dataset[A]]",
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> "Dataset[A]":
        """Elements of datasets chosen at random, with these probabilities, which may be a dataset of them.

        Args:
            datasets: A list of datasets.
            weights: A number for each dataset, in proportion to its probability, or a dataset of such vectors; None
                takes all alike.
            stop_on_empty_dataset: True ends with the first dataset that is drawn and has no more elements; False
                passes it over.
            rerandomize_each_iteration: True draws anew in every iteration.

        Raises:
            ValueError: If `weights` has another length, a negative number, or only zeros.

        >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
        >>> sorted(x.numpy().item() for x in tf.data.Dataset.sample_from_datasets([a, b], [0.5, 0.5], seed=1))
        [0, 1, 2, 10, 11, 12]
        """
        parts = _datasets(datasets)
        if isinstance(weights, Pipeline):
            rows: Any = lambda: (np.asarray(w.array, float) for w in weights._make())
        else:
            shares = np.full(len(parts), 1.0) if weights is None else np.asarray(weights, float)
            if shares.shape != (len(parts),):
                raise ValueError(
                    f"`weights` must have one number for each of the {len(parts)} datasets, got shape {shares.shape}."
                )
            if (shares < 0).any() or not shares.sum() > 0:
                raise ValueError(f"`weights` must not be negative, and not all zero: {shares.tolist()}.")
            if np.count_nonzero(shares) == 1 and len(parts) > 1 or len(parts) == 1:
                return parts[int(np.argmax(shares))]
            rows = lambda: itertools.repeat(shares)
        seeds, rounds = seeds_of(seed), itertools.count()

        def make() -> Iterator:
            words = stream(in_turn(seeds, next(rounds)) if rerandomize_each_iteration else seeds)
            return _chosen([p._make for p in parts], _drawn(rows(), words), stop_on_empty_dataset)

        return new(
            make,
            math.inf if all(p._count == math.inf for p in parts) else None,
            _common_spec(parts),
            "DirectedInterleave",
        )

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> "Dataset[Any]":
        """Pairs of a class, which `class_func` says, and an element; elements are left out at random so that classes
        come as often as `target_dist` asks. How often they came before is `initial_dist`, or is counted along the way.

        Args:
            class_func: A function of an element that returns its class, a scalar integer from 0.
            target_dist: How often each class should come, in proportion.
            initial_dist: How often each class comes in this dataset.

        Returns:
            A dataset of pairs: the class, and the element.

        Raises:
            InvalidArgumentError: If, while iterating, a class is beyond those of `target_dist`.

        >>> ds = tf.data.Dataset.range(8)
        >>> ds = ds.rejection_resample(lambda x: x % 2, target_dist=[1.0, 0.0], initial_dist=[0.5, 0.5])
        >>> [(label.numpy().item(), x.numpy().item()) for label, x in ds]
        [(0, 0), (0, 2), (0, 4), (0, 6)]
        """
        target = _distribution(target_dist, "target_dist")
        before = None if initial_dist is None else _distribution(initial_dist, "initial_dist")
        if before is not None and len(before) != len(target):
            raise ValueError(f"`initial_dist` is of {len(before)} classes, `target_dist` of {len(target)}.")
        calls, key, rounds = Calls(class_func), seeds_of(seed), itertools.count()

        def make() -> Iterator:
            call, rng = calls.begin(), generator(key, next(rounds))
            counts = np.ones(len(target)) if before is None else before
            for place, value in enumerate(self._make()):
                label = call(place, value)
                number = int(label.array)
                if not 0 <= number < len(target):
                    raise InvalidArgumentError(
                        None, None, f"`class_func` gave class {number}, but `target_dist` is of {len(target)} classes."
                    )
                if before is None:
                    counts[number] += 1
                share = np.divide(target, counts, out=np.zeros(len(target)), where=counts > 0)
                if rng.random() * share.max() < share[number]:
                    yield label, value

        spec = Cell(find=lambda: (self.map(class_func).element_spec, self.element_spec))  # type: ignore[attr-defined]
        return self._next(make, None, spec, "Filter")


def _distribution(shares: Any, argument: str) -> np.ndarray:
    found = np.asarray(shares, float)
    if found.ndim != 1 or not found.size or (found < 0).any() or not found.sum() > 0:
        raise ValueError(
            f"`{argument}` must have one number for every class, none of them negative, got {found.tolist()}."
        )
    return found / found.sum()


def _datasets(datasets: Any) -> Sequence["Dataset"]:
    parts = list(datasets) if isinstance(datasets, (list, tuple)) else []
    if not parts or any(not isinstance(p, Pipeline) for p in parts):
        raise ValueError(
            f"Invalid `datasets`. `datasets` should be a list of datasets that is not empty, got {datasets!r}."
        )
    return parts


def _common_spec(parts: Sequence["Dataset"]) -> Cell:
    def find() -> Any:
        spec = parts[0].element_spec
        for part in parts[1:]:
            spec = common(spec, part.element_spec)
        return spec

    return Cell(find=find)


def _drawn(rows: Iterator, words: Iterator[int]) -> Iterator[int]:
    """As `tf.random.stateless_categorical`, with a pair of words as the seed of each choice."""
    for shares in rows:
        with np.errstate(divide="ignore"):
            logits = np.log(np.asarray(shares, np.float32)).astype(np.float64)
        bounds = np.cumsum(np.exp(logits - logits.max()))
        key = streams.scrambled(np.array((next(words), next(words)), np.uint64))
        yield int(np.searchsorted(bounds, uniform(key, 1, np.float64)[0] * bounds[-1], side="right"))


def _chosen(makers: list[Make], choices: Iterator[int], stop: bool) -> Iterator:
    """The next element of the iterator that each choice names; one that is at its end is passed over, or ends it
    all."""
    iterators: list[Iterator | None] = [make() for make in makers]
    for choice in choices:
        if not 0 <= choice < len(iterators):
            raise InvalidArgumentError(None, None, f"Selector index out of range: {choice} >= {len(iterators)}.")
        elements = iterators[choice]
        if elements is None:
            continue
        for value in elements:
            yield value
            break
        else:
            iterators[choice] = None
            if stop or not any(it is not None for it in iterators):
                return
