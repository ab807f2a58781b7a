"""`fit(x)` of a sparse `x`: a `tf.SparseTensor`, or a matrix of SciPy or JAX. Its batches are sparse, too."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator

import tapeflow as tf


def adapt(module: ModuleType) -> None:
    """Teaches `array_slicing` and `data_adapter_utils`, which know other libraries' arrays, ours."""
    pass
