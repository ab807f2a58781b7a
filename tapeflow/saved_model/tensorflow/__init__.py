"""SavedModels that TensorFlow wrote, as objects with functions of our primitives."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tapeflow.core.errors import OpError

from .folder import FILE, damaged, read_meta_graph
from .objects import Objects
from .version1 import GraphModel

__all__ = ["FILE", "load", "opened"]


def load(folder: Path, tags: set[str]) -> Any:
    """The object in a folder with `saved_model.pb`.

    Args:
        folder: The folder.
        tags: Which of several graphs; empty: the only one, or the one for serving.
    """
    with named(folder):
        return opened(folder, tags).root()


def opened(folder: Path, tags: set[str]) -> Objects | GraphModel:
    """The objects in a folder, not made yet."""
    meta = read_meta_graph(folder, tags)
    with named(folder):
        return Objects(folder, meta) if meta.object_graph_def.nodes else GraphModel(folder, meta)


@contextmanager
def named(folder: Path) -> Iterator[None]:
    """Errors about what the file says name it."""
    try:
        yield
    except (OpError, NotImplementedError, OSError):
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        if str(folder / FILE) in str(error):
            raise
        raise damaged(folder, f"{type(error).__name__}: {error}") from error
