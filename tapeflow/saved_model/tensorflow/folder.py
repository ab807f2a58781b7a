"""The files of a SavedModel that TensorFlow wrote: `saved_model.pb`, the variables beside it, assets."""

import os
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import DataLossError, OpError
from tapeflow.core.shapes import TensorShape
from tapeflow.core.variables.variable import Variable
from tapeflow.saved_model.loading import restored_variable

from .values import dtype_of, shape_of

__all__ = ["FILE", "Checkpoint", "asset_path", "damaged", "read_meta_graph"]

FILE = "saved_model.pb"


def damaged(folder: Path, why: Any) -> OSError:
    """TensorFlow's error and its first words."""
    return OSError(
        f"Cannot parse file {folder / FILE}: {why}. It is damaged, or no SavedModel; copy the SavedModel again, or "
        "save it again."
    )


def read_meta_graph(folder: Path, tags: set[str]) -> Any:
    """The part of the model with these tags: a MetaGraphDef. OSError where the file is no SavedModel."""
    from tapeflow.io.model_messages import SavedModel, parsed

    try:
        found = parsed(SavedModel, str(folder / FILE)).meta_graphs
    except ValueError as error:
        raise damaged(folder, f"it {error}") from None
    if not found:
        raise damaged(folder, "it has no graph")
    for graph in found:
        if tags and tags == set(graph.meta_info_def.tags) or not tags and len(found) == 1:
            return graph
    if not tags:
        for graph in found:
            if "serve" in graph.meta_info_def.tags:
                return graph
        for graph in found:  # as in modules of TF-Hub
            if not graph.meta_info_def.tags:
                return graph
    known = [sorted(graph.meta_info_def.tags) for graph in found]
    raise ValueError(
        f"The SavedModel {folder / FILE} has graphs with the tags {', '.join(map(str, known))}; tags={sorted(tags)} "
        "was asked for."
    )


def asset_path(folder: Path, name: str) -> str:
    """The path of an asset. ValueError for a name that leads out of the folder."""
    parts = name.replace("\\", "/").split("/")
    if not name or "\0" in name or os.path.isabs(name) or ":" in parts[0] or ".." in parts or parts[0] == "":
        raise ValueError(f"an asset is called {name!r}, which leads out of the folder")
    return str(folder / "assets" / name)


class Checkpoint:
    """The variables of a SavedModel, by the numbers that objects have in the model."""

    def __init__(self, folder: Path, nodes: Any) -> None:
        from tapeflow.storage.checkpoints.reader import open_checkpoint

        self.folder, self.source, self.numbers = folder, None, dict[int, int]()
        prefix = str(folder / "variables" / "variables")
        if os.path.isfile(prefix + ".index"):
            self.source = open_checkpoint(prefix)
            if self.source.graph is not None:
                self._match(nodes)

    def _match(self, nodes: Any) -> None:
        """Objects go by the way to them from the root: numbers may be others in the checkpoint."""
        assert self.source is not None and self.source.graph is not None
        stored, queue = self.source.graph.nodes, deque([(0, 0)])
        self.numbers[0] = 0
        while queue:
            number, other = queue.popleft()
            if not 0 <= other < len(stored):
                raise damaged(self.folder, f"its checkpoint names the object {other}, which is not there")
            for child in nodes[number].children:
                if child.local_name in stored[other].children and child.node_id not in self.numbers:
                    self.numbers[child.node_id] = stored[other].children[child.local_name]
                    queue.append((child.node_id, self.numbers[child.node_id]))

    def values(self, number: int) -> dict[str, str]:
        """The keys of an object's tensors."""
        if self.source is None or self.source.graph is None or number not in self.numbers:
            return {}
        return {name: value.key for name, value in self.source.graph.nodes[self.numbers[number]].values.items()}

    def read(self, key: str) -> np.ndarray:
        assert self.source is not None
        return self.source.read(key)

    def variable(self, number: int, message: Any) -> Variable:
        """A variable of the model. DataLossError where it is not in the checkpoint, or does not fit."""
        key = self.values(number).get("VARIABLE_VALUE")
        if key is None:
            raise self._unfit(message.name, "it is not in the checkpoint" + self._why())
        shape = shape_of(message.shape)
        array = self.fitted(message.name, key, shape, dtype_of(message.dtype))
        return restored_variable(array, bool(message.trainable), shape, f"{message.name or 'Variable'}:0")

    def fitted(self, name: str, key: str, shape: TensorShape, dtype: DType) -> np.ndarray:
        """The value of a variable. DataLossError where it cannot be read, or does not fit."""
        try:
            array = self.read(key)
        except OpError as error:
            raise self._unfit(name, error.message) from None
        if as_dtype(array.dtype) is not dtype or not shape.is_compatible_with(array.shape):
            given = f"{as_dtype(array.dtype).name} {array.shape}"
            raise self._unfit(name, f"it is {dtype.name} {shape} in the model, and {given} in the checkpoint")
        return array

    def _why(self) -> str:
        return "" if self.source is not None else f": {self.folder / 'variables'} has none"

    def _unfit(self, name: str, why: str) -> DataLossError:
        return DataLossError(
            None,
            None,
            f"The SavedModel {self.folder / FILE} is damaged: the variable {name!r} cannot be restored, since {why}.",
        )
