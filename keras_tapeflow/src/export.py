"""Exporting models: `model.export(path)` and `keras.export.ExportArchive` write what `tf.saved_model.load` reads."""

from typing import Any

from keras.src import tree
from keras.src.export.export_utils import make_input_spec
from keras.src.layers import Layer
from keras.src.utils import io_utils

import tapeflow as tf
from tapeflow.function.tracing.polymorphic import BoundFunction, Function

from .ops.core import Variable


def tensor_specs(signature: Any) -> Any:
    """A structure of Keras' input specifications, Keras tensors or tensors as one of `tf.TensorSpec`."""

    def one(spec: Any) -> tf.TensorSpec:
        if isinstance(spec, tf.TensorSpec):
            return spec
        made = make_input_spec(spec)
        return tf.TensorSpec(made.shape, made.dtype, name=made.name)

    return tree.map_structure(one, signature)


class SavedModelExportArchive:
    """Endpoints, functions with a name and a signature, and the variables that they use, to be written into one
    directory."""

    def __init__(self) -> None:
        self._model = tf.Module(name="exported")
        self._lists: dict[str, list] = {"variables": [], "trainable_variables": [], "non_trainable_variables": []}
        self._endpoints: dict[str, Any] = {}
        self._model._saved_parts = lambda root: self._lists | self._endpoints

    variables = property(lambda self: self._lists["variables"], doc="Of all layers that are tracked.")
    trainable_variables = property(
        lambda self: self._lists["trainable_variables"], doc="Those of them that are trained."
    )
    non_trainable_variables = property(lambda self: self._lists["non_trainable_variables"], doc="The others.")

    def track(self, resource: Any) -> None:
        """Keep the variables of a layer or a model. What endpoints use is kept anyway."""
        if not isinstance(resource, Layer):
            if isinstance(resource, tf.Module):
                self._endpoints.setdefault(f"_tracked_{len(self._endpoints)}", resource)
                return
            raise ValueError(
                "Invalid resource type. Expected a Keras `Layer` or `Model` or a `tf.Module`. "
                f"Received object {resource} of type '{type(resource)}'. "
            )
        if not resource.built:
            raise ValueError("The layer provided has not yet been built. It must be built before export.")
        for name, kept in self._lists.items():
            kept.extend(v for v in getattr(resource, name) if not any(v is other for other in kept))

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None, **kwargs: Any) -> Any:
        """Make `fn` a function of the exported model. Without `input_signature` it must be a `tf.function` that has
        been called."""
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if kwargs:
            raise ValueError(
                f"{', '.join(map(repr, kwargs))}: only supported with the jax backend. Current backend: tapeflow"
            )
        function = fn.function if isinstance(fn, BoundFunction) else fn
        if input_signature is not None:
            function = tf.function(fn, input_signature=tensor_specs(input_signature), autograph=False)
        elif not isinstance(function, Function):
            raise ValueError(
                "If the `fn` argument provided is not a `tf.function`, you must provide an `input_signature` "
                "argument to specify the shape and dtype of the function arguments: "
                "input_signature=[keras.InputSpec(shape=(None, 3), dtype='float32')]."
            )
        elif not function._traces and function.input_signature is None:
            raise ValueError(
                f"The provided tf.function '{fn}' has never been called. Call it once, or pass an `input_signature` "
                "argument in `add_endpoint()`."
            )
        self._endpoints[name] = function
        return function

    def track_and_add_endpoint(self, name: str, resource: Any, input_signature: Any, **kwargs: Any) -> Any:
        """Keep the variables of a layer or a model, and make calling it an endpoint."""
        self.track(resource)
        return self.add_endpoint(name, resource.__call__, input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Save variables as a list, which the loaded object has as an attribute."""
        if not isinstance(variables, (list, tuple, set)):
            raise ValueError(
                f"Expected `variables` to be a list/tuple/set. Received instead object of type '{type(variables)}'."
            )
        if not all(isinstance(v, (tf.Variable, Variable)) for v in variables):
            kinds = list({type(v) for v in variables})
            raise ValueError(
                "Expected all elements in `variables` to be `tf.Variable` instances. Found instead the following "
                f"types: {kinds}"
            )
        self._lists[name] = list(variables)

    def write_out(self, filepath: Any, options: Any = None, verbose: bool = True) -> None:
        """Write the directory. The first endpoint is the signature `serving_default`, too."""
        names = [name for name in self._endpoints if not name.startswith("_tracked_")]
        if not names:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        signatures = {name: self._for_serving(name) for name in names}
        signatures.setdefault("serving_default", signatures[names[0]])
        tf.saved_model.save(self._model, filepath, options=options, signatures=signatures)
        if verbose:
            shown = "\n\n".join(f"* Endpoint '{name}'\n  {_trace(self._endpoints[name])!r}" for name in names)
            io_utils.print_msg(f"Saved artifact at '{filepath}'. The following endpoints are available:\n\n{shown}")

    def _for_serving(self, name: str) -> Any:
        function = self._endpoints[name]
        return function if function.input_signature is not None else _trace(function)


def _trace(function: Function) -> Any:
    return (
        function.get_concrete_function()
        if function.input_signature is not None
        else next(iter(function._traces.values()))
    )
