"""`tf.saved_model`: a model in a directory, with its variables and the graphs of its functions.

What is saved is every traced function as a graph of primitives. So loading needs neither the Python source nor the
classes, and what is loaded is no frozen program: it can be differentiated, trained further, vectorised, compiled by
XLA, and saved again.
"""

import json as _json
import os as _os
import re as _re
import sys as _sys
from pathlib import Path as _Path
from typing import Any, Literal

from tapeflow.core import nest as _nest
from tapeflow.core.errors import InternalError as _InternalError
from tapeflow.core.variables.variable import Variable as _Variable
from tapeflow.function.saving.loaded import LoadedFunction as _LoadedFunction
from tapeflow.function.saving.restoring import RestoredFunction as _RestoredFunction
from tapeflow.function.tracing.concrete import ConcreteFunction as _ConcreteFunction, argument_name as _argument_name
from tapeflow.function.tracing.polymorphic import Function as _Function
from tapeflow.names.missing import watch_over as _watch_over
from tapeflow.saved_model.files import (
    INDEX as _INDEX,
    cannot_parse as _cannot_parse,
    read_model as _read_model,
    write_model as _write_model,
)
from tapeflow.saved_model.loading import (
    LoadedObject,
    ObjectReader as _ObjectReader,
    SignatureFunction as _SignatureFunction,
    named_outputs as _named_outputs,
)
from tapeflow.storage.places import place as _place

from . import writing as _saved

__all__ = [
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "GPU",
    "SERVING",
    "TPU",
    "TRAINING",
    "LoadOptions",
    "SaveOptions",
    "contains_saved_model",
    "load",
    "save",
]  # fmt: skip

DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
SERVING, TRAINING, GPU, TPU = "serve", "train", "gpu", "tpu"


class SaveOptions:
    """TensorFlow's options for saving. They are about its own files and devices: none changes what is saved here.

    Args:
        namespace_whitelist: Taken and not used.
        save_debug_info: Taken and not used.
        function_aliases: Taken and not used.
        experimental_debug_stripper: Taken and not used.
        experimental_io_device: Taken and not used.
        experimental_variable_policy: Taken and not used.
        experimental_custom_gradients: Taken and not used.
        experimental_image_format: Taken and not used.
        experimental_skip_saver: Taken and not used.
        experimental_sharding_callback: Taken and not used.
        extra_tags: Taken and not used.

    >>> tf.saved_model.SaveOptions(experimental_custom_gradients=True).experimental_custom_gradients
    True
    """

    def __init__(
        self, namespace_whitelist: Any = None, save_debug_info: bool = False, function_aliases: Any = None,
        experimental_debug_stripper: bool = False, experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None, experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False, experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None, extra_tags: Any = None,
    ) -> None:  # fmt: skip
        given = dict(locals())
        del given["self"]
        self.__dict__.update(given)


class LoadOptions:
    """TensorFlow's options for loading. They are about its own files and devices: none changes what is loaded here.

    Args:
        allow_partial_checkpoint: Taken and not used.
        experimental_io_device: Taken and not used.
        experimental_skip_checkpoint: Taken and not used.
        experimental_variable_policy: Taken and not used.
        experimental_load_function_aliases: Taken and not used.

    >>> tf.saved_model.LoadOptions(experimental_io_device="/job:localhost").experimental_io_device
    '/job:localhost'
    """

    def __init__(
        self, allow_partial_checkpoint: bool = False, experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False, experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:  # fmt: skip
        given = dict(locals())
        del given["self"]
        self.__dict__.update(given)


# ---- saving


def save(
    obj: Any,
    export_dir: Any,
    signatures: Any = None,
    options: SaveOptions | None = None,
    format: Literal["tapeflow", "tensorflow"] = "tapeflow",
) -> None:
    """Writes `obj`, a `tf.Module` or a Keras model, into the directory `export_dir`: variables, and functions with
    their graphs.

    A `tf.function` is saved for the kinds of arguments it was called with, or for its `input_signature`, in which
    sizes may be None. `signatures` is one function or a dict of them, for serving: called by keyword, they return a
    dict. By default it is the only function of `obj` with an `input_signature`.

    Args:
        obj: A `tf.Module`, a Keras model, or another object with variables and functions as attributes.
        signatures: A function or concrete function, or a dict of them by name.
        format: "tapeflow", which `load` reads; or "tensorflow": TensorFlow's own SavedModel, for TensorFlow and its
            servers, with all objects, variables and lookup tables that `obj` holds. `load` reads that, too.

    Raises:
        OSError: If the folder cannot be written: an older model in it stays as it was.
        ValueError: If a signature is no function with an input signature.
        CannotBeExported: If TensorFlow has no operator for something in a function (`tf.export.CannotBeExported`).

    >>> class Line(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = tf.Variable(2.)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def at(self, x):
    ...         return self.slope * x
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.saved_model.save(Line(), folder + "/line")
    ...     line = tf.saved_model.load(folder + "/line")
    >>> line.at([1., 2., 3.]).numpy()
    array([2., 4., 6.], dtype=float32)
    >>> with tf.GradientTape() as tape:
    ...     y = line.at([10.])
    >>> tape.gradient(y, line.slope).numpy()
    np.float32(10.0)
    """
    if format not in ("tapeflow", "tensorflow"):
        raise ValueError(f"The format of a saved model is 'tapeflow' or 'tensorflow', not {format!r}.")
    with _place(export_dir, "a SavedModel", folder=True) as folder:
        writer = _saved.ObjectWriter()
        writer.root(obj)
        chosen = _default_signatures(writer.parts(obj)) if signatures is None else _signatures(signatures)
        save_as = _save_for_tensorflow if format == "tensorflow" else _save
        save_as(writer, obj, _Path(folder), chosen)


def _save(writer: _saved.ObjectWriter, obj: Any, folder: _Path, chosen: dict[str, Any]) -> None:
    """Our own format."""
    described = {
        name: {"function": writer.function(f), "inputs": _input_names(_only_trace(f))} for name, f in chosen.items()
    }
    writer.finish()
    model = {
        "variables": writer.variables,
        "objects": writer.nodes,
        "signatures": described,
    }
    _check_readable(model, writer)
    _write_model(folder, model, writer.arrays)


def _check_readable(model: dict, writer: _saved.ObjectWriter) -> None:
    """Read the model back, but for the values of variables, before it takes the place of an older one."""
    try:
        _ObjectReader(_json.loads(_json.dumps(model)), writer.arrays.__getitem__, writer.held).root()
    except Exception as error:
        raise _InternalError(
            None, None, f"The model was not saved, since it could not be read again: {type(error).__name__}: {error}. "
            "This is a fault of tapeflow; please report it. Nothing was written."
        ) from error  # fmt: skip


def _save_for_tensorflow(writer: Any, obj: Any, folder: _Path, chosen: dict[str, Any]) -> None:
    """TensorFlow's SavedModel of an object."""
    from tapeflow.export.to_tensorflow.saved_models import Signature

    from .for_tensorflow import save

    signatures = {}
    for name, function in chosen.items():
        trace = _only_trace(function)
        signatures[name] = Signature(trace, _input_names(trace), _names_of_outputs(trace.structured_outputs))
    save(writer, obj, folder, signatures)


def _names_of_outputs(outputs: Any) -> list[str]:
    """In the order in which the results are flattened."""
    named = _named_outputs(outputs, "the function")
    by_identity = {id(value): name for name, value in named.items()}
    return [by_identity[id(value)] for value in _nest.flatten(outputs)]


def _signatures(given: Any) -> dict[str, Any]:
    """The functions to serve, by name."""
    chosen = dict(given) if isinstance(given, dict) else {DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
    for name, function in chosen.items():
        if not isinstance(name, str):
            raise TypeError(f"The names of signatures must be strings, got {name!r}.")
        function = chosen[name] = _plain(function)
        fits = (
            isinstance(function, _ConcreteFunction)
            or isinstance(function, (_Function, _LoadedFunction))
            and _saved.has_signature(function)
        )
        if not fits:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {function!r}. Only "
                "`tf.functions` with an input signature or concrete functions can be used as a signature; "
                "f.get_concrete_function(tf.TensorSpec(...)) makes one."
            )
        trace = _only_trace(function)
        if trace.as_python:
            raise _saved.CannotBeSaved(
                f"The signature {name!r} cannot be saved, since {trace.name} is not a graph but runs as plain Python. "
                f"{trace.why}"
            )
        _named_outputs(
            trace.structured_outputs,
            f"the function used to generate the SavedModel signature {name!r}",
        )
    return chosen


def _plain(function: Any) -> Any:
    """The function itself, of a method or of a loaded signature."""
    if isinstance(function, _SignatureFunction):
        return function.function
    return function.function if isinstance(function, _saved.BoundFunction) else function


def _default_signatures(parts: dict[str, Any]) -> dict[str, Any]:
    """The only function that can be one."""
    found = []
    for part in parts.values():
        function = _plain(part)
        if isinstance(function, (_Function, _LoadedFunction)) and _saved.has_signature(function):
            try:
                _named_outputs(_only_trace(function).structured_outputs, "it")
            except ValueError:
                continue
            found.append(function)
    return {DEFAULT_SERVING_SIGNATURE_DEF_KEY: found[0]} if len(found) == 1 else {}


def _only_trace(function: Any) -> _ConcreteFunction:
    return function if isinstance(function, _ConcreteFunction) else _saved.traces(function)[0][0]


def _input_names(function: _ConcreteFunction) -> list[str]:
    """What a signature calls its tensors: as the arguments; parts of one are `x`, `x_1` and so on."""
    paths = _nest.paths(function.structure)
    names: list[str] = []
    for k, index, spec in zip(function.tensor_positions, function.graph.inputs, function.specs):
        name = getattr(spec, "name", None) or function.graph.names.get(index) or "input"
        nested = _re.match(r"(\[[^\]]*\]){2}(?=.)", paths[k]) if k < len(paths) else None
        if nested and not getattr(spec, "name", None) and not isinstance(function, _RestoredFunction):
            name = _argument_name(function.python_function, nested[0])
        unique, count = name, 0
        while unique in names:
            count += 1
            unique = f"{name}_{count}"
        names.append(unique)
    return names


# ---- loading


def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> LoadedObject:
    """The object that was saved: variables and functions as attributes, under the same names; `signatures` are those
    for serving.

    Functions take the kinds of arguments that they were saved for. Neither the source nor the classes of the saved
    object are needed.

    Args:
        tags: None, or "serve", which is the only one.

    Raises:
        ValueError: If other tags are asked for.
        OSError: If there is no such model.

    >>> import tempfile
    >>> @tf.function(input_signature=[tf.TensorSpec([], name="x")])
    ... def square(x):
    ...     return x * x
    >>> module = tf.Module()
    >>> module.square = square
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.saved_model.save(module, folder)
    ...     again = tf.saved_model.load(folder)
    >>> again.square(3.).numpy(), again.signatures["serving_default"](x=tf.constant(4.))["output_0"].numpy()
    (np.float32(9.0), np.float32(16.0))
    """
    folder = _Path(_os.fspath(export_dir))
    wanted = {tags} if isinstance(tags, str) else set(tags or ())
    if not (folder / _INDEX).is_file() and (folder / "saved_model.pb").is_file():
        from .tensorflow import load as load_from_tensorflow

        return load_from_tensorflow(folder, wanted)
    if not wanted <= {SERVING}:
        raise ValueError(
            f"The SavedModel in {folder} has the tag {SERVING!r} alone; tags={tags!r} was asked for. Leave it out."
        )
    model, arrays = _read_model(folder)
    try:
        return _ObjectReader(model, arrays.__getitem__).root()
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        raise _cannot_parse(folder, f"{type(error).__name__}: {error}") from error


def contains_saved_model(export_dir: Any) -> bool:
    """Is there something in the directory that `load` reads?

    >>> tf.saved_model.contains_saved_model("no/such/directory")
    False
    """
    folder = _Path(_os.fspath(export_dir))
    return (folder / _INDEX).is_file() or (folder / "saved_model.pb").is_file()


_watch_over(_sys.modules[__name__], "tf.saved_model")
