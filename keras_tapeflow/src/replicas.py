"""Keras under a strategy of `tf.distribute`: what a replica does with losses, gradients and seeds, and what a step of
training does for all of them."""

import functools
from collections.abc import Callable
from typing import Any

from keras.src import tree
from keras.src.backend.common import global_state

import tapeflow as tf
from tapeflow.core.runtime.replicas import carried, count, here

SYNCHRONIZATION = {
    "auto": tf.VariableSynchronization.AUTO,
    "none": tf.VariableSynchronization.AUTO,
    "on_write": tf.VariableSynchronization.ON_WRITE,
    "on_read": tf.VariableSynchronization.ON_READ,
}


def aggregation(name: str, dtype: str) -> tf.VariableAggregation:
    """What becomes of what replicas assign. Keras' "none", of statistics of batch normalization for example, is their
    mean; that of counters, which are the same in each, the first one's."""
    if name == "none":
        name = "mean" if "float" in dtype else "only_first_replica"
    return tf.VariableAggregation[name.upper()]


def _carry() -> Callable[[], None]:
    """Keras has a state for each thread: policies of dtypes, names, phases. Replicas find the caller's."""
    states = [(tracker, dict(vars(tracker))) for tracker in _TRACKERS]

    def set_up() -> None:
        for tracker, state in states:
            vars(tracker).update({name: list(v) if type(v) is list else v for name, v in state.items()})

    return set_up


_TRACKERS = (global_state.GLOBAL_STATE_TRACKER, global_state.GLOBAL_SETTINGS_TRACKER)


carried.append(_carry)


# ---- in a replica


def scaled(value: Any) -> Any:
    """The replica's share of a loss that is a mean: the shares add up to the mean over all examples."""
    return value if count() == 1 else value / count()


def unscaled(value: Any) -> Any:
    return value if count() == 1 else value * count()


def summed(gradients: list) -> list:
    """The sums of the gradients of all replicas."""
    if count() == 1:
        return gradients
    return tf.distribute.get_replica_context().all_reduce("SUM", list(gradients))


def averaged(value: Any) -> Any:
    """The mean over all replicas."""
    return value if count() == 1 else tf.distribute.get_replica_context().all_reduce("MEAN", value)


def own_pair(pair: Any) -> Any:
    """A pair of seeds that all replicas have drawn, as this one's own: the first one's is as it was."""
    if count() == 1:
        return pair
    return pair + tf.cast(here().replica.id, pair.dtype) * tf.constant([104729, 1299709], pair.dtype)


def adapt_losses(module: Any) -> None:
    module.scale_loss_for_distribution, module.unscale_loss_for_distribution = scaled, unscaled


def adapt_normalization(module: Any) -> None:
    """`BatchNormalization(synchronized=True)` is not TensorFlow's alone: it asks which backend there is for this."""

    class Backend:
        backend = staticmethod(lambda: "tensorflow")

        def __getattr__(self, name: str) -> Any:
            return getattr(backend, name)

    backend, module.backend = module.backend, Backend()


def adapt_optimizers(module: Any) -> None:
    name = "_backend_update_step"
    update = getattr(module.BaseOptimizer, name)

    def update_step(self: Any, grads: list, trainable_variables: list, learning_rate: Any) -> None:
        update(self, summed(grads), trainable_variables, learning_rate)

    setattr(module.BaseOptimizer, name, update_step)


# ---- a step for all replicas


def strategy_of(model: Any) -> Any:
    """The strategy in whose scope a model was made, or is trained; None if there is one replica."""
    found = model._distribute_strategy or here().strategy
    return None if found is None or found.num_replicas_in_sync == 1 else found


def in_scope(method: Callable) -> Callable:
    """A method of a model that trains it, or asks it: in the scope of its strategy, with what was made outside of it
    (an optimizer, say) taken in."""

    @functools.wraps(method)
    def scoped(model: Any, *args: Any, **kwargs: Any) -> Any:
        strategy = strategy_of(model)
        if strategy is None or here().replica is not None:
            return method(model, *args, **kwargs)
        take_in(model, strategy)
        with strategy.scope():
            return method(model, *args, **kwargs)

    return scoped


def take_in(model: Any, strategy: Any) -> None:
    """The variables of a model, its optimizer and its metrics belong to the strategy from now on."""
    optimizer = getattr(model, "optimizer", None)
    found = [*model.variables, *getattr(optimizer, "variables", ()), *model.metrics_variables]
    for variable in found:
        strategy.adopt(variable.value)


class ReplicatedStep:
    """`step` of a batch for all: by the replicas of a strategy, each of its part. A batch that they do not divide is
    computed by one of them, whole: so its numbers are those of one replica.

    `together` makes one result of those of all replicas.
    """

    def __init__(self, strategy: Any, step: Callable, together: Callable[[Any], Any]) -> None:
        self.strategy, self.step, self.together = strategy, step, together

    def __call__(self, batch: Any) -> Any:
        from tapeflow.distribute import datasets
        from tapeflow.distribute.contexts import OnlyReplica, entered_context

        leaves = [leaf for leaf in tree.flatten(batch) if leaf is not None]
        size, number = leaves[0].shape[0], self.strategy.num_replicas_in_sync
        if not size or size % number:
            with entered_context(self.strategy, replica=OnlyReplica()):
                return self.step(batch)
        divide = lambda leaf: None if leaf is None else datasets.parts(leaf, number, self.strategy.numbers)
        with self.strategy.scope():
            return self.together(self.strategy.run(self.step, args=(tree.map_structure(divide, batch),)))
