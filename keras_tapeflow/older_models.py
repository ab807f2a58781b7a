"""Models of Keras 2 in the words of Keras 3: the configurations in `.h5` files and in saved models."""

import inspect
import logging
import os
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from keras.src import constraints, initializers, layers, losses, metrics, models, optimizers, regularizers
from keras.src.legacy.saving import json_utils

__all__ = ["compile_arguments", "load", "modern", "restore_optimizer"]

_log = logging.getLogger("tapeflow")

# What Keras 3 has no word for, and the values at which it changes nothing; None: it never does.
_GONE: dict[str, tuple | None] = {
    "decay": (0, 0.0),
    "experimental_full_name": None,
    "experimental_update_clipping": None,
    "expects_training_arg": None,
    "fused": None,
    "groups": (1,),
    "implementation": None,
    "is_legacy_optimizer": None,
    "jit_compile": None,
    "kernel_constraint": None,  # of layers that have two kernels, with words for each
    "kernel_initializer": None,
    "kernel_regularizer": None,
    "key_shape": None,
    "must_restore_from_config": None,
    "preserve_input_structure_in_config": None,
    "query_shape": None,
    "ragged": (False,),
    "stateful": (False,),
    "time_major": (False,),
    "value_shape": None,
    "virtual_batch_size": (0,),
}
# What every layer takes beside the parameters of its class.
_OF_ALL = frozenset(
    """activity_regularizer autocast batch_input_shape batch_shape build_config dtype input_dim input_shape name
    trainable""".split()
)
# The lists in which optimizers keep what Keras 2 gave these names.
_SLOTS = {
    **{(name, "m"): "_momentums" for name in ("Adam", "AdamW", "Nadam")},
    **{(name, "v"): "_velocities" for name in ("Adam", "AdamW", "Nadam")},
    ("Adamax", "m"): "_m",
    ("Adamax", "u"): "_u",
    ("Adagrad", "accumulator"): "_accumulators",
    ("RMSprop", "velocity"): "_velocities",
    ("RMSprop", "momentum"): "_momentums",
    ("RMSprop", "average_gradient"): "_average_gradients",
    ("SGD", "m"): "momentums",
}
_WRAPPED = frozenset("backward_layer cell cells layer".split())
_RENAMED = {("LeakyReLU", "alpha"): "negative_slope"}


def modern(config: Any, within_another: bool = False) -> Any:
    """The configuration of a model or layer of Keras 2, with all in it, as Keras 3 takes it.

    Args:
        within_another: It is of a layer that another one wraps, which says its module, too.

    Raises:
        ValueError: If it says something that Keras 3 cannot do.
    """
    if isinstance(config, (list, tuple)):
        return type(config)([modern(part, within_another) for part in config])
    if not isinstance(config, dict):
        return config
    made = {key: modern(value, within_another or key in _WRAPPED) for key, value in config.items()}
    if isinstance(made.get("inbound_nodes"), list):
        made["inbound_nodes"] = [_call(node) for node in made["inbound_nodes"]]
    name, inside = made.get("class_name"), made.get("config")
    if not isinstance(name, str) or not isinstance(inside, dict):
        return made
    if isinstance(inside.get("layers"), list):
        _let_inputs_say_shapes(inside["layers"])
        for ends in ("input_layers", "output_layers"):  # a model of Keras 2 takes a single tensor without a list
            if isinstance(inside.get(ends), list) and len(inside[ends]) == 1 and _is_tensor(inside[ends][0]):
                inside[ends] = inside[ends][0]
    if name in ("Policy", "PolicyV1"):  # of dtypes
        return inside.get("name")
    for module in (layers, initializers, regularizers, constraints) if within_another else ():
        if isinstance(getattr(module, name, None), type):
            made.setdefault("module", module.__name__.replace("keras.src", "keras"))
            made.setdefault("registered_name", None)
    kind = getattr(layers, name, None)
    if (
        isinstance(kind, type)
        and issubclass(kind, layers.Layer)
        and not issubclass(kind, (models.Model, layers.Lambda))
    ):
        made["config"] = _known(kind, name, inside)
        if len(inspect.signature(kind.build).parameters) != 2:
            made.pop("build_config", None)  # it has one shape, and this layer is built from several
    return made


def _let_inputs_say_shapes(found: list[Any]) -> None:
    """Of the layers of a model: where it has inputs, the first layer need not say a shape, too."""
    if any(isinstance(one, dict) and one.get("class_name") == "InputLayer" for one in found):
        for one in found:
            if isinstance(one, dict) and one.get("class_name") != "InputLayer" and isinstance(one.get("config"), dict):
                one["config"].pop("batch_input_shape", None)


def _call(node: Any) -> Any:
    """Where a layer is called with tensors by keyword, the form that Keras 3 has for it."""
    if not isinstance(node, list) or not all(isinstance(one, list) and len(one) == 4 for one in node):
        return node
    named = {key: value for one in node for key, value in one[3].items()}
    if not any(_is_tensor(value) for value in named.values()):
        return node
    given = [_tensor(one) for one in node]
    args = given if len(given) == 1 else [given]
    return {"args": args, "kwargs": {k: _tensor(v) if _is_tensor(v) else v for k, v in named.items()}}


def _is_tensor(value: Any) -> bool:
    """Does it name a result of a layer: the layer, its call, its output?"""
    return isinstance(value, list) and [type(one) for one in value[:3]] == [str, int, int]


def _tensor(value: list) -> dict[str, Any]:
    history = {"shape": [None], "dtype": "float32", "keras_history": value[:3]}
    return {"class_name": "__keras_tensor__", "config": history}


def _known(kind: type, name: str, config: dict[str, Any]) -> dict[str, Any]:
    """The parameters that the class has."""
    known, found = _parameters(kind), {}
    for key, value in config.items():
        key = _RENAMED.get((name, key), key)
        if key in known:
            found[key] = value
        else:
            _let_go(name, key, value)
    return found


def _let_go(name: str, key: str, value: Any) -> None:
    """ValueError where Keras 3 would compute something else without it."""
    neutral = _GONE.get(key, ())
    if neutral is not None and value is not None and value is not False and value not in neutral:
        raise ValueError(f"{name} of Keras 2 has {key}={value!r}, which Keras 3 does not have.")


def _parameters(kind: type) -> set[str]:
    """What a class takes, itself or by way of those that it is made from."""
    found = set(_OF_ALL) if issubclass(kind, layers.Layer) else set()
    for one in kind.__mro__:
        if one in (layers.Layer, object):
            break
        if "__init__" not in vars(one):
            continue
        parameters = inspect.signature(vars(one)["__init__"]).parameters.values()
        found |= {p.name for p in parameters}
        if not any(p.kind is p.VAR_KEYWORD for p in parameters):
            break
    return found


def compile_arguments(training: dict[str, Any], custom_objects: Any = None) -> dict[str, Any]:
    """What `compile` takes, of a training configuration of Keras 2: words stay words."""
    custom = custom_objects or {}
    optimizer = training["optimizer_config"]
    if isinstance(optimizer, dict):
        optimizer = optimizers.deserialize(_plain(optimizers, optimizer), custom_objects=custom)
    each = lambda module, value: _leaves(
        value, lambda one: module.deserialize(_plain(module, one), custom_objects=custom)
    )
    return {
        "optimizer": optimizer,
        "loss": each(losses, training.get("loss")),
        "metrics": each(metrics, training.get("metrics")),
        "weighted_metrics": each(metrics, training.get("weighted_metrics")),
        "loss_weights": training.get("loss_weights"),
    }


def _leaves(value: Any, make: Any) -> Any:
    """The same structure, with objects in the place of their configurations."""
    if isinstance(value, (list, tuple)):
        return [_leaves(one, make) for one in value]
    if not isinstance(value, dict):
        return value
    if "class_name" not in value:
        return {key: _leaves(one, make) for key, one in value.items()}
    function = value.get("config", {}).get("fn")
    wrapped = value["class_name"] in ("MeanMetricWrapper", "LossFunctionWrapper", "SumOverBatchSizeMetricWrapper")
    return function if wrapped and isinstance(function, str) else make(value)


def _plain(module: Any, config: dict[str, Any]) -> dict[str, Any]:
    """The configuration of a loss, metric or optimizer, by the parameters of its class."""
    name = config["class_name"].rpartition(">")[2]
    kind = getattr(module, name, None)
    inside = dict(config.get("config", {}))
    if isinstance(kind, type):
        if inside.get("reduction") == "auto":
            inside["reduction"] = "sum_over_batch_size"
        known = _parameters(kind)
        for key, value in inside.items():
            if key not in known and key not in ("axis", "fn"):  # of classification: the last, and what the class is
                _let_go(name, key, value)
        inside = {key: modern(value) for key, value in inside.items() if key in known}
    return {"class_name": name, "config": inside}


def restore_optimizer(optimizer: Any, variables: list[Any], names: list[str], arrays: list[Any]) -> bool:
    """Give an optimizer the state that one of Keras 2 had: arrays by names such as "Adam/m/dense/kernel:0", each kind
    in the order of the variables. False where it does not fit, and nothing has changed then."""
    optimizer.build(variables)
    found: dict[str, list[Any]] = {}
    for name, array in zip(names, arrays):
        parts = name.split("/")
        found.setdefault(parts[1] if len(parts) > 2 else parts[-1].partition(":")[0], []).append(np.asarray(array))
    iterations = (found.pop("iteration", None) or found.pop("iter", None) or [None])[0]
    found.pop("learning_rate", None)
    targets = []
    for word, values in found.items():
        slots = getattr(optimizer, _SLOTS.get((type(optimizer).__name__, word), ""), None)
        if slots is not None and not len(slots) and not any(array.any() for array in values):
            continue  # of momentum that there is not
        if slots is None or [tuple(s.shape) for s in slots] != [a.shape for a in values]:
            return False
        targets += zip(slots, values)
    if iterations is None:
        return False
    for slot, array in [(optimizer._iterations, iterations), *targets]:
        slot.assign(array.astype(slot.dtype))
    return True


def load(stock: Any, module: ModuleType, filepath: Any, custom_objects: Any, compile: bool, safe_mode: bool) -> Any:
    """The model in an `.h5` file, compiled as it was, with the state of its optimizer."""
    _adapt(module)
    with (
        module.h5py.File(filepath, mode="r")
        if isinstance(filepath, (str, os.PathLike))
        else nullcontext(filepath) as file
    ):
        model = stock(file, custom_objects, False, safe_mode)
        training = file.attrs.get("training_config")
        if not compile or training is None:
            return stock(file, custom_objects, compile, safe_mode) if compile else model
        training = json_utils.decode(training.decode() if isinstance(training, bytes) else training)
        model.compile(**compile_arguments(training, custom_objects))
        if "optimizer_weights" in file:
            group = file["optimizer_weights"]
            names = [str(n) for n in module.load_attributes_from_hdf5_group(group, "weight_names")]
            arrays = module.load_optimizer_weights_from_hdf5_group(file)
            if not restore_optimizer(model.optimizer, model.trainable_variables, names, arrays):
                _log.warning("The optimizer of %s starts anew: its state in the file does not fit.", filepath)
    return model


def _adapt(module: ModuleType) -> None:
    """`keras.src.legacy.saving.legacy_h5_format` reads the configurations of Keras 2 by these words."""
    plain = module.saving_utils
    if isinstance(plain, SimpleNamespace):
        return

    def model_from_config(config: Any, custom_objects: Any = None) -> Any:
        return plain.model_from_config(modern(config), custom_objects=custom_objects)

    own = {"model_from_config": model_from_config, "compile_args_from_training_config": compile_arguments}
    module.saving_utils = SimpleNamespace(**{**vars(plain), **own})
