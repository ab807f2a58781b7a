"""Trackable objects: the parts of an object by name, and the values that an object itself has.

Objects take part by their type (variables, `tf.Module`, containers, Keras' objects), or by TensorFlow's own protocol:
`_trackable_children()` gives the parts, `_serialize_to_tensors()` the values, which `_restore_from_tensors(values)`
takes back.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeflow.api.random.generator import Generator
from tapeflow.api.variables.module import Module
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.frames import Frame, entered
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

from . import keras_objects

__all__ = ["children", "identity", "is_container", "is_trackable", "lookup", "put", "value_of", "values"]

VALUE = "VARIABLE_VALUE"
_MOMENT = 1.0  # seconds


def identity(thing: Any) -> Any:
    """The object that stands for `thing`: a Keras variable and the variable in it are one."""
    return thing.__tf_variable__() if hasattr(type(thing), "__tf_variable__") else thing


def is_container(thing: Any) -> bool:
    return isinstance(thing, (list, tuple, Mapping))


def is_trackable(thing: Any) -> bool:
    """Does a checkpoint follow an attribute with this value? Containers are followed to what is in them."""
    if isinstance(thing, (Variable, Module, Generator)) or is_container(thing):
        return True
    kind = type(thing)
    if isinstance(thing, (type, Tensor, np.ndarray)):
        return False
    if hasattr(kind, "__tf_variable__"):
        return thing.__tf_variable__() is not None  # Keras may still be about to make it
    if hasattr(kind, "_trackable_children") or hasattr(kind, "_serialize_to_tensors"):
        return True
    return keras_objects.is_trackable(thing)


def has_trackable_attributes(thing: Any) -> bool:
    """May a plain object be given to a checkpoint? Only for what is in its attributes."""
    return (
        hasattr(thing, "__dict__")
        and not isinstance(thing, type)
        and any(is_trackable(value) and (not is_container(value) or children(value)) for value in vars(thing).values())
    )


def children(owner: Any) -> dict[str, Any]:
    """The parts of an object that a checkpoint follows, by name and in the order in which they were set."""
    if isinstance(owner, Variable):
        return {}
    if hasattr(type(owner), "_trackable_children"):
        return dict(owner._trackable_children())
    if isinstance(owner, (list, tuple)):
        return {str(place): entry for place, entry in enumerate(owner) if is_trackable(entry)}
    if isinstance(owner, Mapping):
        return _entries(owner)
    if isinstance(owner, Generator):
        return {"_state_var": owner.state}  # TensorFlow's name
    if keras_objects.is_trackable(owner):
        return {name: value for name, value in keras_objects.parts(owner).items() if _is_part_of_keras(value)}
    return (
        {name: value for name, value in vars(owner).items() if is_trackable(value)}
        if hasattr(owner, "__dict__")
        else {}
    )


def _is_part_of_keras(value: Any) -> bool:
    """Metrics inside models are left out, as in TensorFlow: they belong to an epoch, not to the model."""
    return is_trackable(value) and not keras_objects.is_metric(value)


def _entries(owner: Mapping) -> dict[str, Any]:
    found = {key: value for key, value in owner.items() if is_trackable(value)}
    if keras_objects.is_dict(owner):  # TensorFlow does not look into them, so programs with numbers as keys do save
        return {str(key): value for key, value in found.items() if isinstance(key, (str, int))}
    wrong = [
        key
        for key, value in found.items()
        if not isinstance(key, str) and (not is_container(value) or children(value))
    ]
    if wrong:
        raise ValueError(
            f"Unable to save the dictionary {owner!r}: it contains a non-string key, {wrong[0]!r}, which maps to a "
            f"trackable object. Use {str(wrong[0])!r} as the key."
        )
    return {key: value for key, value in found.items() if isinstance(key, str)}


def lookup(owner: Any, names: Any) -> dict[str, Any]:
    """Those of `names` that the object has now; also under names that older versions of Keras wrote."""
    have = children(owner)
    if keras_objects.is_trackable(owner):
        others = keras_objects.other_names(owner, [name for name in names if name not in have])
        have |= {name: value for name, value in others.items() if is_trackable(value)}
    return {name: identity(have[name]) for name in names if name in have}


# ---- values


def values(owner: Any) -> dict[str, str]:
    """The attributes under which an object has a tensor of its own, and its full name there."""
    if isinstance(owner, Variable):
        return {VALUE: owner.name.removesuffix(":0")}
    if hasattr(type(owner), "_serialize_to_tensors"):
        return dict.fromkeys(owner._serialize_to_tensors(), "")
    return {}


def value_of(owner: Any, attribute: str) -> Any:
    """The value now: a variable that changes later changes in another array, while somebody holds this one. One that
    is spread over devices stays there until it is written."""
    with entered(Frame()):  # neither a tape nor a function that is being traced has to do with it
        if not isinstance(owner, Variable):
            return np.asarray(owner._serialize_to_tensors()[attribute])
        if owner.is_on_device and not owner.is_fully_replicated:
            return owner.value()
        # Another thread may be in the middle of changing the array in place. That takes a moment; whoever has the lock
        # for longer, a function that runs and may itself have called us, leaves the value alone until its end.
        locked = isinstance(owner._value, np.ndarray) and owner._lock.acquire(timeout=_MOMENT)
        try:
            return np.asarray(owner.value())
        finally:
            if locked:
                owner._lock.release()


def check(owner: Any, shape: tuple, dtype: str, path: str, foreign: bool) -> None:
    """Raises before anything is changed where a value of the checkpoint cannot be given to the object.

    Integers of a foreign program may be longer: Keras counts iterations in int64 on TensorFlow, in int32 elsewhere.
    """
    if not isinstance(owner, Variable):
        return
    if not owner.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {shape} when attempting to restore variable with shape "
            f"{tuple(owner.shape)} and name {owner.name}. In the checkpoint it is {path}. Make the variable with that "
            "shape, or leave it out of the object that is restored. Nothing was changed."
        )
    if owner.dtype.name != dtype and not (foreign and owner.dtype.kind == "i" and dtype.startswith("int")):
        raise InvalidArgumentError(
            None,
            None,
            f"The checkpoint has a {dtype} tensor as {path}, and the variable {owner.name} is {owner.dtype.name}; "
            "values are not converted. Make the variable with the checkpoint's dtype, or read the value with "
            "tf.train.load_variable. Nothing was changed.",
        )


def put(owner: Any, given: dict[str, np.ndarray]) -> None:
    """Gives the object the values that were saved."""
    with entered(Frame()):
        if isinstance(owner, Variable):
            owner.assign(given[VALUE], read_value=False)
        else:
            owner._restore_from_tensors(given)
