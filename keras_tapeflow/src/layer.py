"""What a Keras layer is on this backend besides a Keras layer: an object that `tf.saved_model.save` takes."""

from typing import Any

from tapeflow.core.variables import arrivals


class BackendLayer:
    """Keras' hooks for backends, none of which is needed."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if arrivals.waiting:  # a checkpoint was restored that has values for a part which was not there
            arrivals.attribute_set(self)

    def _saved_parts(self, root: bool) -> dict[str, Any]:
        """What a saved model keeps of it: variables and layers, by the names of the attributes that hold them, and a
        call of the model as a function of its inputs."""
        parts = {name: part for name, part in vars(self).items() if not name.startswith("_") and _holds_state(part)}
        for variable in [*self._trainable_variables, *self._non_trainable_variables]:
            parts.setdefault(variable.name, variable)
        if hasattr(self, "layers"):
            parts["layers"] = list(self.layers)
        if not root:
            return parts
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            parts[name] = list(getattr(self, name))
        call = _call(self)
        return parts if call is None else parts | {"__call__": call}


def _holds_state(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_state, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_state, value))
    return isinstance(value, BackendLayer) or hasattr(value, "__tf_variable__")


def _call(layer: Any) -> Any:
    """Of a model whose inputs are known."""
    from keras.src.export.export_utils import get_input_signature
    from keras.src.models import Model

    import tapeflow as tf

    from .export import tensor_specs

    if not isinstance(layer, Model) or not layer.built:
        return None
    try:
        signature = tensor_specs(get_input_signature(layer))
    except ValueError:  # never called: nobody knows what it takes
        return None
    nameless = tf.nest.map_structure(lambda spec: tf.TensorSpec(spec.shape, spec.dtype), list(signature))
    if len(nameless) == 1:
        return tf.function(lambda inputs: layer(inputs, training=False), input_signature=nameless, autograph=False)
    return tf.function(lambda *inputs: layer(*inputs, training=False), input_signature=nameless, autograph=False)
