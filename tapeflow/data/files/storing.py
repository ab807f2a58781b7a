"""`cache`, `save`, `load` and `snapshot`: elements kept in memory or on disk, so that they are made only once."""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tapeflow.api.strings.paths import local_path
from tapeflow.core.errors import NotFoundError
from tapeflow.data.element_specs import Cell, spec_of
from tapeflow.data.iterators import Element
from tapeflow.data.pipeline import Pipeline, new

from . import elements as element_files

if TYPE_CHECKING:
    from tapeflow.data.dataset import Dataset

_FILE = "elements.tapeflow"  # in the folder of `save` and `snapshot`


class Storing(Pipeline[Element]):
    """`cache`, `save`, `load`, `snapshot`."""

    def cache(self, filename: Any = "", name: str | None = None) -> "Dataset[Element]":
        """The same elements, made only once and then kept: in memory, or in a file whose name begins with `filename`.

        They are kept when an iteration has come to the end. A file is written under another name until then, so that
        one that is there is whole; delete it when the elements should be others.

        Args:
            filename: Where to keep them on disk; empty for memory.

        >>> ds = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([])).cache()
        >>> list(ds.as_numpy_iterator()) == list(ds.as_numpy_iterator())
        True
        """
        path = local_path(filename)
        if path:
            file = f"{path}.{_FILE}"
            make = lambda: (
                element_files.read(file) if os.path.exists(file) else element_files.write(file, self._make())
            )
            return self._next(make, self._count, self._spec, "Cache")
        kept: list[list] = []  # of rows of tensors only their numbers
        return self._reordered(lambda make: _remembered(kept, make), self._count, "Cache")

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Writes all elements into a folder, for `Dataset.load`. What is there is replaced when everything is written.

        Args:
            path: The folder; it is made if it is not there.
            compression: None, or "GZIP".
            shard_func: Taken and not used: there is one file.
            checkpoint_args: Taken and not used: a file that is not finished is not there.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tf.data.Dataset.range(3).save(folder)
        ...     [x.numpy().item() for x in tf.data.Dataset.load(folder)]
        [0, 1, 2]
        """
        for _ in element_files.write(_file_in(path, compression), self._make(), compression):
            pass

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> "Dataset[Any]":
        """The elements that `save` wrote.

        Args:
            path: The folder.
            element_spec: What elements are; found from the first of them by default.
            compression: What `save` was given.
            reader_func: A function of a dataset of datasets, here one, that returns the dataset to read.
            wait: Taken and not used: a folder that is not there is an error at once.

        Raises:
            NotFoundError: If there is no saved dataset in the folder.
            DataLossError: If, while iterating, the file is damaged or cut short.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tf.data.Dataset.from_tensor_slices(["a", "b"]).save(folder)
        ...     [x.numpy() for x in tf.data.Dataset.load(folder)]
        [b'a', b'b']
        """
        file = _file_in(path, compression)
        if not os.path.exists(file):
            raise NotFoundError(None, None, f"Could not find {file}: `dataset.save({local_path(path)!r})` writes it.")
        spec = (
            Cell(element_spec)
            if element_spec is not None
            else Cell(find=lambda: spec_of(element_files.spec_elements(file, compression)))
        )
        made = new(lambda: element_files.read(file, compression), None, spec, "Load")
        if reader_func is None:
            return made
        return reader_func(new(lambda: iter([made]), 1, Cell(find=lambda: made._type_spec), "Variant"))

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> "Dataset[Element]":
        """The same elements, written into a folder by the first iteration that comes to the end and read from there
        afterwards.

        Args:
            path: The folder; it is made if it is not there.
            compression: "AUTO" and None write as is, "GZIP" compresses.
            reader_func: Taken and not used: there is one file.
            shard_func: Taken and not used: there is one file.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ds = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([])).snapshot(folder)
        ...     list(ds.as_numpy_iterator()) == list(ds.as_numpy_iterator())
        True
        """
        file = _file_in(path, compression)

        def make() -> Iterator:
            if os.path.exists(file):
                return element_files.read(file, compression)
            return element_files.write(file, self._make(), compression)

        return self._next(make, self._count, self._spec, "Snapshot")


def _file_in(folder: Any, compression: str | None) -> str:
    return os.path.join(local_path(folder), _FILE + (".gz" if compression == "GZIP" else ""))


def _remembered(kept: list[list], make: Callable[[], Iterator]) -> Iterator:
    """What the first whole iteration gave."""
    if kept:
        yield from kept[0]
        return
    seen = []
    for value in make():
        seen.append(value)
        yield value
    kept[:] = [seen]
