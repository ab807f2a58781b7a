"""`tapeflow convert`: models of Keras 2, in `.h5` files and in folders, as `.keras` files of Keras 3."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras.src.legacy.saving import json_utils, legacy_h5_format, saving_utils
from keras.src.saving.serialization_lib import SafeModeScope

import tapeflow as tf
from tapeflow.core.errors import OpError

from .older_models import compile_arguments, modern

__all__ = ["convert", "converted"]

_TOLERANCE = 1e-5  # by how much outputs of the graph and of the layers may differ, relative to the largest


def convert(old: str, new: str) -> int:
    """Write the model at `old` to the file `new`, and say how; gives the exit status: 2 if it cannot be done."""
    try:
        if not new.endswith(".keras"):
            raise ValueError(f"the new file is to be called *.keras, not {os.path.basename(new)!r}")
        model, how = converted(old)
        model.save(new)
    except (OpError, OSError, ValueError, TypeError, KeyError, NotImplementedError, ImportError) as error:
        print(f"tapeflow convert: {old}: {error}", file=sys.stderr)
        return 2
    print(f"{new}: {how}")
    return 0


def converted(path: Any) -> tuple[Any, str]:
    """A Keras model of the one at a path, and how it was made.

    Args:
        path: A `.h5` file, or the folder of a saved model. Of a folder that says the layers of the model, these are
            made, get the variables, and must compute what the graph computes; of another one, the model is a layer
            that calls the graph (`keras.layers.TFSMLayer`), and needs the folder where it is.

    Raises:
        OSError: If there is no model, or a damaged one.
        ValueError: If Keras 3 does not have a layer, or not with these parameters.
    """
    place = Path(path)
    if not place.is_dir():
        if not place.is_file():
            raise OSError(f"there is no such file or folder: {place}")
        model = keras.models.load_model(place)
        return model, f"{_described(model)}, of {place.name}"
    from tapeflow.saved_model.tensorflow.keras_metadata import keras_configuration

    loaded = tf.saved_model.load(place)
    configuration = keras_configuration(place) if (place / "saved_model.pb").is_file() else None
    why = "it does not say its layers"
    if configuration is not None:
        try:
            model = _of_layers(configuration, loaded)
            return model, f"{_described(model)}; outputs are those of the graph"
        except (ValueError, TypeError, KeyError, AttributeError, NotImplementedError) as error:
            why = str(error).partition("\n")[0][:300]
    model = _of_graph(place, loaded)
    return model, (
        f"a layer that calls the graph in {place}, which has to stay there, since {why}. It is loaded with "
        "keras.models.load_model(path, safe_mode=False)"
    )


def _described(model: Any) -> str:
    compiled = "compiled" if getattr(model, "compiled", False) else "not compiled"
    return f"{type(model).__name__} of {len(model.layers)} layers, {model.count_params()} numbers, {compiled}"


def _of_layers(configuration: dict[str, Any], loaded: Any) -> Any:
    """The layers with the variables of the graph."""
    config = json_utils.decode(
        json.dumps({"class_name": configuration["class_name"], "config": configuration["config"]})
    )
    with legacy_h5_format.saving_options.keras_option_scope(use_legacy_config=True), SafeModeScope(True):
        model = saving_utils.model_from_config(modern(config))
    if not model.built:
        specs = next(iter(loaded.signatures.values())).structured_input_signature[1].values()
        model.build(next(iter(specs)).shape.as_list())
    trained = {id(v) for v in loaded.trainable_variables}
    _give(model.trainable_weights, list(loaded.trainable_variables))
    _give(model.non_trainable_weights, [v for v in loaded.variables if id(v) not in trained])
    _compare(model, loaded)
    training = configuration.get("training_config")
    if training:
        model.compile(**compile_arguments(json_utils.decode(json.dumps(training))))
    return model


def _give(weights: list[Any], variables: Any) -> None:
    shapes = [tuple(w.shape) for w in weights], [tuple(v.shape) for v in variables]
    if shapes[0] != shapes[1]:
        raise ValueError(f"its layers have weights of the shapes {shapes[0]}, its graph variables of {shapes[1]}")
    for weight, variable in zip(weights, variables):
        weight.assign(variable)


def _compare(model: Any, loaded: Any) -> None:
    """ValueError where the layers compute something else than the graph."""
    signature = loaded.signatures["serving_default"]
    generator = np.random.default_rng(0)
    given = {}
    for name, spec in signature.structured_input_signature[1].items():
        sizes = [2 if n is None else n for n in spec.shape.as_list()]
        given[name] = tf.cast(
            generator.integers(0, 2, sizes) if spec.dtype.is_integer else generator.random(sizes), spec.dtype
        )
    wanted = signature(**given)
    names = [one.name for one in model.inputs]
    inputs = [given[name] for name in (names if set(names) == set(given) else given)]
    found = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    results = [np.asarray(one) for one in keras.tree.flatten(found)]
    others = [np.asarray(one) for one in wanted.values()]
    for one in results:
        near = lambda other, one=one: (
            other.shape == one.shape
            and np.allclose(
                one, other, rtol=_TOLERANCE, atol=_TOLERANCE * max(1.0, float(np.abs(other).max(initial=0)))
            )
        )
        if not any(near(other) for other in others):
            raise ValueError("its layers compute something else in Keras 3 than its graph")


def _of_graph(place: Path, loaded: Any) -> Any:
    """A model of one layer, which calls the graph."""
    endpoint = next(
        (name for name in ("serve", "serving_default") if hasattr(loaded, name) or name in loaded.signatures), None
    )
    endpoint = endpoint or next(iter(loaded.signatures), None)
    if endpoint is None:
        raise ValueError("it has no signature to call")
    layer = keras.layers.TFSMLayer(str(place), call_endpoint=endpoint)
    taken = [list(one.structured_input_signature[1].values()) for one in loaded.signatures.values()]
    single = next((specs[0] for specs in taken if len(specs) == 1), None)
    if single is None or single.shape.rank is None:
        return keras.Sequential([layer])
    inputs = keras.Input(batch_shape=single.shape.as_list(), dtype=single.dtype.name)
    return keras.Model(inputs, layer(inputs))
