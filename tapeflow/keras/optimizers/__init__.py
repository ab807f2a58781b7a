"""`tf.keras.optimizers`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.optimizers import (
    Adadelta as Adadelta,
    Adafactor as Adafactor,
    Adagrad as Adagrad,
    Adam as Adam,
    AdamW as AdamW,
    Adamax as Adamax,
    Ftrl as Ftrl,
    Lamb as Lamb,
    Lion as Lion,
    LossScaleOptimizer as LossScaleOptimizer,
    MultiOptimizer as MultiOptimizer,
    Muon as Muon,
    Nadam as Nadam,
    Optimizer as Optimizer,
    OptimizerMap as OptimizerMap,
    RMSprop as RMSprop,
    SGD as SGD,
    ScheduleFreeAdamW as ScheduleFreeAdamW,
    deserialize as deserialize,
    get as get,
    serialize as serialize,
)

from . import (
    legacy as legacy,
    schedules as schedules,
)
