"""Keras' layers, models, optimizers and metrics as a checkpoint sees them. Keras is not imported: its objects say what
they are."""

import re
from typing import Any

__all__ = ["is_dict", "is_metric", "is_trackable", "other_names", "parts"]

_FOLLOWED = frozenset({"Layer", "Functional", "Sequential", "Optimizer", "Metric"})

# Lists and dicts in which Keras keeps once more what other attributes have, or what is no state.
_BOOKKEEPING = frozenset(
    """_layers _trainable_variables _non_trainable_variables _metrics _seed_generators _inbound_nodes _outbound_nodes
    _losses _losses_override call_signature_parameters _call_has_context_arg _nodes _nodes_by_depth
    _operations_by_depth _compiled_trainable_state _trainable_variables_indices""".split()
)
_WEIGHTS = ("_trainable_variables", "_non_trainable_variables")


def _kind(thing: Any) -> str | None:
    says = getattr(type(thing), "_obj_type", None)
    return says(thing) if callable(says) else None


def is_trackable(thing: Any) -> bool:
    return _kind(thing) in _FOLLOWED


def is_metric(thing: Any) -> bool:
    return _kind(thing) == "Metric"


def is_dict(owner: Any) -> bool:
    """A dict in an attribute of a Keras object, which Keras has replaced by its own."""
    return isinstance(owner, dict) and type(owner).__module__.startswith("keras.")


def parts(owner: Any) -> dict[str, Any]:
    """The attributes that hold state, under the names that TensorFlow's checkpoints of Keras 3 have, too."""
    found = {name: value for name, value in vars(owner).items() if name not in _BOOKKEEPING}
    kind = _kind(owner)
    if kind == "Sequential" and found.get("_functional") is None:
        found["_layers"] = owner._layers  # not built: nothing else knows the layers
    if kind == "Optimizer" and "_variables" in found:
        found["_variables"] = found.pop("_variables")  # last, so that `_momentums/0` is the name, not `_variables/2`
    if kind != "Optimizer" and not _has_all_weights(owner, found):
        found |= {name: vars(owner)[name] for name in _WEIGHTS if vars(owner).get(name)}
    return found


def _has_all_weights(owner: Any, found: dict[str, Any]) -> bool:
    """Whether attributes lead to every weight of the layer itself: one may have been made by `add_weight` and kept
    elsewhere."""
    reached, stack = set(), list(found.values())
    while stack:
        value = stack.pop()
        if isinstance(value, (list, tuple)):
            stack.extend(value)
        elif isinstance(value, dict):
            stack.extend(value.values())
        else:
            reached.add(id(value))
    return all(id(weight) in reached for name in _WEIGHTS for weight in vars(owner).get(name) or ())


def other_names(owner: Any, names: list[str]) -> dict[str, Any]:
    """Parts by the names in checkpoints that others wrote: TensorFlow's optimizers list the model's weights, Keras 2
    counted layers."""
    found = {}
    for name in names:
        counted = re.fullmatch(r"(layer|layer_with_weights)-(\d+)", name)
        if counted and hasattr(owner, "layers"):
            layers = owner.layers if counted[1] == "layer" else [layer for layer in owner.layers if layer.weights]
            if int(counted[2]) < len(layers):
                found[name] = layers[int(counted[2])]
        elif name == "_trainable_variables" and _kind(owner) == "Optimizer":
            found[name] = owner._trainable_variables
        elif vars(owner).get(f"_{name}") is not None:
            found[name] = vars(owner)[f"_{name}"]  # Keras 2 said `kernel`, `iterations` and `learning_rate`
    return found
