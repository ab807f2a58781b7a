"""What Keras' modules get to know of tapeflow once they are imported: its name, its dtypes, its functions in the place
of TensorFlow's. Standard library only, until one of them is imported."""

import functools
import os
import sys
from types import ModuleType
from typing import Any

from .grafting import NAME


def _know_the_name(module: ModuleType) -> None:
    """A Keras that looks backends up by their names has a list of those that it knows."""
    known = getattr(module, "PLUGGABLE_BACKENDS", None)
    if known is not None:
        module.PLUGGABLE_BACKENDS = known | {NAME}


def _know_the_backend(module: ModuleType) -> None:
    """`DynamicBackend`, which layers of preprocessing ask, answers for us, too; and a graph is ours, not
    TensorFlow's."""
    if module.backend_module.backend() == NAME:
        module.in_tf_graph = lambda: False
    if hasattr(module, "PLUGGABLE_BACKENDS"):
        return  # it looks us up
    dynamic = module.DynamicBackend
    get, choose = dynamic.__getattr__, dynamic.set_backend

    def __getattr__(self: Any, name: str) -> Any:
        return getattr(module.backend_module, name) if self.__dict__.get("_backend") == NAME else get(self, name)

    def set_backend(self: Any, backend: str) -> None:
        if backend == NAME:
            self._backend = backend
        else:
            choose(self, backend)

    dynamic.__getattr__, dynamic.set_backend = __getattr__, set_backend


def _know_dtypes(module: ModuleType) -> None:
    """`set_floatx("float64")` computes in float64, integers of 64 bits keep them, and texts in an array (objects, to
    NumPy) are strings, as on TensorFlow."""
    import numpy as np
    from keras.src.backend.config import backend

    if backend() != NAME:
        return
    narrower = {wide: module.BIT64_TO_BIT32_DTYPE[wide] for wide in ("int64", "uint64")}
    for dtype in ("float64", "complex128", *narrower):
        module.BIT64_TO_BIT32_DTYPE[dtype] = dtype
    module.PYTHON_DTYPES_MAP[np.dtype(object)] = "string"
    lattice = module._lattice_result_type

    def _lattice_result_type(*args: Any) -> str:
        """What narrower integers meet in stays narrow, as on the other backends."""
        found = lattice(*args)
        if found not in narrower or any(module.standardize_dtype(arg) in narrower for arg in args):
            return found
        return narrower[found]

    module._lattice_result_type = _lattice_result_type


def _seed_tensors(module: ModuleType) -> None:
    """`keras.utils.set_random_seed` seeds `tf.random`, too, as on TensorFlow."""
    from keras.src.backend.config import backend

    seed_keras = module.set_random_seed

    @functools.wraps(seed_keras)
    def set_random_seed(seed: int) -> None:
        seed_keras(seed)
        if backend() == NAME:
            from tapeflow import random

            random.set_seed(seed)

    module.set_random_seed = set_random_seed


def _know_the_name_and_functions(module: ModuleType) -> None:
    """What Keras does with TensorFlow's functions whatever the backend (datasets from folders, say) is done with ours,
    unless it is there."""
    from importlib.util import find_spec

    from keras.src.backend.config import backend

    _know_the_name(module)
    if backend() == NAME and "tensorflow" not in sys.modules and find_spec("tensorflow") is None:
        from keras_tapeflow.as_tensorflow import names

        module.tensorflow = names(available=False)


def _be_its_tensorflow(module: ModuleType) -> None:
    """Some modules do nothing at all without TensorFlow: ours will do."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        from keras_tapeflow.as_tensorflow import adapt

        adapt(module)


def _write_summaries(module: ModuleType) -> None:
    """Keras' callback for TensorBoard writes with TensorFlow's `tf.summary`: ours has its names."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        from keras_tapeflow.src.tensorboard import adapt

        adapt(module)


def _explain_downloads(module: ModuleType) -> None:
    """Without a network, `tf.keras.datasets` and `tf.keras.utils.get_file` say where they look for the file."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        from keras_tapeflow.downloads import explained

        module.urlretrieve = explained(module.urlretrieve)


def _share_datasets(module: ModuleType) -> None:
    """`Distribution.distribute_dataset` takes our datasets."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        from keras_tapeflow.src.distribution_lib import distribute_dataset

        module.Distribution.distribute_dataset = distribute_dataset


def _in_replicas(function: str) -> Any:
    """Under a strategy of `tf.distribute`, as on TensorFlow: losses are shares of the mean over all replicas, and
    optimizers add up gradients."""

    def adapt(module: ModuleType) -> None:
        from keras.src.backend.config import backend

        if backend() == NAME:
            from keras_tapeflow.src import replicas

            getattr(replicas, function)(module)

    return adapt


def _in_one(function: str, home: str) -> Any:
    """What Keras composes of single operations is one or two of ours."""

    def adapt(module: ModuleType) -> None:
        from importlib import import_module

        from keras.src.backend.config import backend

        if backend() == NAME:
            getattr(import_module(f"keras_tapeflow.src.{home}"), function)(module)

    return adapt


def _save_whole(function: str, home: str = "whole_saves") -> Any:
    """Files that Keras writes in place are there as they were or as they are to be, whenever a program is killed."""

    def adapt(module: ModuleType) -> None:
        from importlib import import_module

        from keras.src.backend.config import backend

        if backend() == NAME:
            getattr(import_module(f"keras_tapeflow.{home}"), function)(module)

    return adapt


def _answer(module: ModuleType) -> None:
    """`keras.config.backend()` says to programs what `TAPEFLOW_KERAS_ANSWER` says: libraries that know TensorFlow's
    backend, and not ours, then take it for that. Keras itself asks elsewhere."""
    from keras.src.backend.config import backend

    answer = os.environ.get("TAPEFLOW_KERAS_ANSWER")
    if answer and backend() == NAME:
        module.backend = lambda: answer


# Modules that do something else, or nothing, for want of TensorFlow's tensors, tables and datasets.
AMONG_TENSORFLOW = """
export.tfsm_layer layers.preprocessing.hashed_crossing layers.preprocessing.hashing layers.preprocessing.index_lookup
layers.preprocessing.integer_lookup layers.preprocessing.string_lookup layers.preprocessing.text_vectorization
legacy.backend trainers.data_adapters.array_slicing trainers.data_adapters.data_adapter_utils utils.dataset_utils
""".split()
AFTERWARDS = {
    "keras.backend": _answer,
    "keras.config": _answer,
    "keras.src.backend.config": _know_the_name,
    "keras.src.backend.common.dtypes": _know_dtypes,
    "keras.src.callbacks.backup_and_restore": _save_whole("adapt", "backups"),
    "keras.src.callbacks.csv_logger": _save_whole("adapt_log"),
    "keras.src.callbacks.tensorboard": _write_summaries,
    "keras.src.distribution.distribution_lib": _share_datasets,
    "keras.src.legacy.saving.legacy_h5_format": _save_whole("adapt_legacy_files"),
    "keras.src.layers.normalization.batch_normalization": _in_replicas("adapt_normalization"),
    "keras.src.layers.normalization.group_normalization": _in_one("adapt_groups", "ops.nn.normalization"),
    "keras.src.losses.loss": _in_replicas("adapt_losses"),
    "keras.src.ops.nn": _in_one("adapt_layers", "ops.nn.normalization"),
    "keras.src.optimizers.adam": _in_one("adapt_adam", "optimizers"),
    "keras.src.optimizers.base_optimizer": _in_replicas("adapt_optimizers"),
    "keras.src.optimizers.sgd": _in_one("adapt_descent", "optimizers"),
    "keras.src.saving.file_editor": _save_whole("adapt_weights_editor"),
    "keras.src.saving.saving_api": _save_whole("adapt_loading"),
    "keras.src.saving.saving_lib": _save_whole("adapt_files"),
    "keras.src.utils.backend_utils": _know_the_backend,
    "keras.src.utils.file_utils": _explain_downloads,
    "keras.src.utils.module_utils": _know_the_name_and_functions,
    "keras.src.utils.rng_utils": _seed_tensors,
    **{f"keras.src.{name}": _be_its_tensorflow for name in AMONG_TENSORFLOW},
}
