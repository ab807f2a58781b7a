"""A program, for a process in which Keras runs on JAX: the results and gradients of all layers and losses, as a
file."""

import sys

import keras
import numpy as np

from .layer_cases import LAYERS, LOSSES, a_loss, built


def layer_by_jax(name):
    import jax

    layer, xs, call = built(name)

    def total(xs, trainable, fixed):
        pairs = zip([*layer.trainable_variables, *layer.non_trainable_variables], [*trainable, *fixed])
        with keras.StatelessScope(state_mapping=list(pairs)) as scope:
            ys = jax.tree.leaves(call(xs))
        state = [scope.get_current_value(v) for v in layer.non_trainable_variables if v.dtype == "float64"]
        return sum((y * y).sum() for y in ys), (ys, state)

    state = xs, [v.value for v in layer.trainable_variables], [v.value for v in layer.non_trainable_variables]
    (_, (ys, fixed)), (of_xs, of_variables) = jax.jit(jax.value_and_grad(total, argnums=(0, 1), has_aux=True))(*state)
    return {"results": ys, "gradients": [*of_xs, *of_variables], "state": fixed}


def loss_by_jax(name):
    import jax

    loss, target, guess = a_loss(name)
    value, gradient = jax.jit(jax.value_and_grad(lambda guess: loss(target, guess)))(guess)
    return {"results": [value], "gradients": [gradient]}


def main(file):
    import jax
    from keras.src.backend.common import dtypes

    jax.config.update("jax_enable_x64", True)
    dtypes.BIT64_TO_BIT32_DTYPE["float64"] = "float64"  # or Keras would compute parts of a float64 layer in float32
    found = {("layer", name): layer_by_jax(name) for name in LAYERS} | {
        ("loss", name): loss_by_jax(name) for name in LOSSES
    }
    arrays = {
        f"{kind} {name} {what} {k}": np.asarray(value)
        for (kind, name), parts in found.items()
        for what, values in parts.items()
        for k, value in enumerate(values)
    }
    np.savez(file, **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
