"""`tf.keras.callbacks`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.callbacks import (
    BackupAndRestore as BackupAndRestore,
    CSVLogger as CSVLogger,
    Callback as Callback,
    CallbackList as CallbackList,
    EarlyStopping as EarlyStopping,
    History as History,
    LambdaCallback as LambdaCallback,
    LearningRateScheduler as LearningRateScheduler,
    ModelCheckpoint as ModelCheckpoint,
    OrbaxCheckpoint as OrbaxCheckpoint,
    ProgbarLogger as ProgbarLogger,
    ReduceLROnPlateau as ReduceLROnPlateau,
    RemoteMonitor as RemoteMonitor,
    SwapEMAWeights as SwapEMAWeights,
    TensorBoard as TensorBoard,
    TerminateOnNaN as TerminateOnNaN,
)
