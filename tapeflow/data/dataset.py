"""`tf.data.Dataset`, all its methods together."""

from typing import Any

from tapeflow.core.signatures import as_one
from tapeflow.core.tensor import Tensor

from .batching import Batching
from .files.storing import Storing
from .functions import Functions
from .grouping import Grouping
from .iterators import Element
from .mixing import Mixing
from .pipeline import Pipeline
from .reading import Reading
from .selection import Selection
from .sources import Sources


@as_one(Pipeline, Sources, Mixing, Functions, Selection, Batching, Grouping, Storing, Reading)
class Dataset(
    Sources[Element],
    Mixing[Element],
    Functions[Element],
    Selection[Element],
    Batching[Element],
    Grouping[Element],
    Storing[Element],
    Reading[Element],
):
    """A sequence of elements, made anew by every iteration. Each method gives a new dataset.

    An element is a tensor, or a tuple or dict of them. No gradient goes through a dataset.

    >>> ds = tf.data.Dataset.range(7).map(lambda x: x * x).batch(3)
    >>> [batch.numpy().tolist() for batch in ds]
    [[0, 1, 4], [9, 16, 25], [36]]
    """

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
    ) -> "Dataset[Tensor]":
        """The names of the files that match a pattern, or one of several; in random order, another in every iteration,
        unless `shuffle=False`.

        Args:
            file_pattern: A pattern with `*`, `?` and `[abc]`, or a list or tensor of several.
            shuffle: False gives the names in order; None and True shuffle them anew in every iteration.

        Returns:
            A dataset of scalar strings.

        Raises:
            InvalidArgumentError: If no file matches, when the dataset is made.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (pathlib.Path(folder) / "a.txt").write_text("")
        ...     [pathlib.Path(name.numpy().decode()).name for name in tf.data.Dataset.list_files(folder + "/*.txt")]
        ['a.txt']
        """
        from .files.listing import list_files

        return list_files(file_pattern, shuffle, seed)


Pipeline._concrete = Dataset
