"""`tf.keras.saving`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.saving import (
    CustomObjectScope as CustomObjectScope,
    KerasFileEditor as KerasFileEditor,
    custom_object_scope as custom_object_scope,
    deserialize_keras_object as deserialize_keras_object,
    get_custom_objects as get_custom_objects,
    get_registered_name as get_registered_name,
    get_registered_object as get_registered_object,
    load_model as load_model,
    load_weights as load_weights,
    register_keras_serializable as register_keras_serializable,
    save_model as save_model,
    save_weights as save_weights,
    serialize_keras_object as serialize_keras_object,
)
