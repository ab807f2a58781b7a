"""`tf` for the parts of Keras that are written with TensorFlow's functions whatever the backend: old helpers, lookups,
datasets from folders."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, cached_property
from inspect import signature
from types import ModuleType, SimpleNamespace
from typing import Any

import tapeflow

from .sparse_arrays import keep_sparse_batches, slice_sparse_tensors


class _Over:
    """Names of its own, over those of another namespace."""

    def __init__(self, below: Any, **own: Any) -> None:
        self.__dict__.update(own, _below=below)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._below, name)


def adapt(module: ModuleType) -> None:
    """Lets a module of Keras take tapeflow for TensorFlow."""
    if hasattr(module, "tf"):
        module.tf = names(available=True)
    _DETAILS.get(module.__name__.rpartition(".")[2], lambda _: None)(module)


def _plain_shapes(module: ModuleType) -> None:
    shape_of = module.int_shape
    module.int_shape = lambda x: None if (shape := shape_of(x)) is None else tuple(shape)


def _our_datasets(module: ModuleType) -> None:
    is_tensorflow_s = module.is_tf_dataset
    module.is_tf_dataset = lambda dataset: isinstance(dataset, tapeflow.data.Dataset) or is_tensorflow_s(dataset)


def _our_batches(module: ModuleType) -> None:
    """Our tensors are arrays to what cuts batches, also under the stand-in, where they say that they are TensorFlow's:
    for those it asks Keras' other backend."""
    ours = (tapeflow.Tensor, tapeflow.Variable, tapeflow.RaggedTensor, tapeflow.SparseTensor)
    for name in ("is_tensorflow_tensor", "is_tensorflow_ragged", "is_tensorflow_sparse"):
        theirs = getattr(module, name)
        setattr(module, name, lambda value, theirs=theirs: not isinstance(value, ours) and theirs(value))
    keep_sparse_batches(module)


def _tables(module: ModuleType) -> None:
    """Tables of which the vocabulary is not known yet are empty; rows of several lengths are filled up with -1, which
    is no class."""
    module.get_null_initializer = lambda key_dtype, value_dtype: tapeflow.lookup.KeyValueTensorInitializer(
        [], [], tapeflow.as_dtype(key_dtype), tapeflow.as_dtype(value_dtype)
    )
    numerical = module.numerical_utils

    def encode(inputs: Any, **how: Any) -> Any:
        if isinstance(inputs, tapeflow.RaggedTensor):
            inputs = inputs.to_tensor(default_value=-1)
        return numerical.encode_categorical_inputs(inputs, **how)

    module.numerical_utils = _Over(numerical, encode_categorical_inputs=encode)


def _refused_to_others(module: ModuleType) -> None:
    """`sparse=True`, or a layer of a saved model, which are refused to all backends but TensorFlow's; it is all that
    these layers ask the name for, apart from torch."""
    module.backend = _Over(module.backend, backend=lambda: "tensorflow")


def _sparse_texts(module: ModuleType) -> None:
    """The same of a layer that asks for more."""
    init = module.TextVectorization.__init__

    def __init__(*args: Any, **kwargs: Any) -> None:
        bound = signature(init).bind(*args, **kwargs)
        layer, sparse = bound.arguments["self"], bound.arguments.pop("sparse", False)
        init(*bound.args, **bound.kwargs)
        if sparse and layer._output_mode == "int":
            raise ValueError(
                "`sparse=True` needs an `output_mode` that is 'multi_hot', 'count' or 'tf_idf', not 'int'."
            )
        layer._lookup_layer.sparse = sparse

    __init__.__signature__ = signature(init)  # type: ignore[attr-defined]  # Keras reads it
    module.TextVectorization.__init__ = __init__


_DETAILS: dict[str, Callable[[ModuleType], None]] = {
    "array_slicing": slice_sparse_tensors,
    "backend": _plain_shapes,
    "data_adapter_utils": _our_batches,
    "dataset_utils": _our_datasets,
    "hashed_crossing": _refused_to_others,
    "index_lookup": _tables,
    "integer_lookup": _refused_to_others,
    "string_lookup": _refused_to_others,
    "tfsm_layer": _refused_to_others,
    "text_vectorization": _sparse_texts,
}


@cache
def names(available: bool) -> Any:
    """tapeflow, with what Keras wants besides; `available` is what Keras takes for "TensorFlow is installed"."""
    return _TensorFlow(tapeflow, available=available)


class _TensorFlow(_Over):
    @cached_property
    def compat(self) -> Any:  # when it is asked for: importing Keras should not import this as well
        v1 = _Over(
            tapeflow.compat.v1,
            nn=_Over(tapeflow.nn, convolution=_convolution, ctc_beam_search_decoder=_beams, ctc_loss=_ctc_loss),
            math=_Over(
                tapeflow.math, in_top_k=lambda predictions, targets, k: tapeflow.math.in_top_k(targets, predictions, k)
            ),
            gradients=lambda ys, xs, colocate_gradients_with_ops=False: tapeflow.gradients(ys, xs),
            random_normal_initializer=_initializer(tapeflow.random_normal_initializer),
            random_uniform_initializer=_initializer(tapeflow.random_uniform_initializer),
            sparse_concat=tapeflow.sparse.concat,
        )
        return _Over(tapeflow.compat, v1=v1)

    __internal__ = SimpleNamespace(
        EagerTensor=tapeflow.Tensor,
        eager_context=SimpleNamespace(eager_mode=nullcontext),
        tf2=SimpleNamespace(enabled=lambda: True),
    )


def _convolution(input: Any, filter: Any, padding: str, strides: Any, dilation_rate: Any, data_format: str) -> Any:
    return tapeflow.nn.convolution(input, filter, strides, padding, data_format, dilation_rate)


def _ctc_loss(labels: Any, inputs: Any, sequence_length: Any) -> Any:
    """Of version 1: the blank is the last class."""
    return tapeflow.nn.ctc_loss(labels, inputs, None, sequence_length, blank_index=-1)


def _beams(inputs: Any, sequence_length: Any, beam_width: int, top_paths: int) -> tuple[list[Any], Any]:
    """Of version 1: in what it finds, a class that repeats stands once."""
    decoded, scores = tapeflow.nn.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    return [_without_repeats(found) for found in decoded], scores


def _without_repeats(found: Any) -> Any:
    places: list[list[int]] = []
    values: list[int] = []
    row, last, width = -1, None, 0
    for (at, _), value in zip(found.indices.numpy().tolist(), found.values.numpy().tolist()):
        if (at, value) == (row, last):
            continue
        column = places[-1][1] + 1 if at == row else 0
        places.append([at, column])
        values.append(value)
        row, last, width = at, value, max(width, column + 1)
    indices = tapeflow.reshape(tapeflow.constant(places, tapeflow.int64), (-1, 2))
    return tapeflow.SparseTensor(
        indices, tapeflow.constant(values, tapeflow.int64), [found.dense_shape.numpy()[0], width]
    )


def _initializer(kind: Callable[..., Any]) -> Callable[..., Any]:
    """Of version 1: made with a dtype."""
    return lambda *numbers, dtype, seed: lambda shape: kind(*numbers, seed)(shape, dtype)
