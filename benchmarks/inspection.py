"""What looking costs: `python -m benchmarks.inspection [--rounds N]`.

Loops with and without the gradient monitor, at its default interval, and operations with and without those who watch
them. Both run in turn in one process, and each figure is the best of its rounds. Times are the processor's, of all
threads, with one thread for products: with two on a machine where others work, the same step takes 2 ms or 20.
"""

import argparse
import logging
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise

os.environ |= {"KERAS_BACKEND": "tapeflow", "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import numpy as np

import tapeflow as tf

STEPS = 40  # of a round: two measurements at the default interval
OPERATIONS = 200


def best(
    run: Callable[[AbstractContextManager], None], watcher: Callable[[], AbstractContextManager], rounds: int
) -> tuple:
    """Seconds without and with the watcher."""
    times: dict[str, list[float]] = {"without": [], "with": []}
    for number in range(rounds):
        for name in ("without", "with") if number % 2 else ("with", "without"):
            around = watcher() if name == "with" else nullcontext()
            begun = time.process_time()
            run(around)
            times[name].append(time.process_time() - begun)
    return min(times["without"]), min(times["with"])


# ---- training


def mlp_step(width: int, batch: int) -> Callable[[], object]:
    """A step of plain gradient descent on three layers."""
    rng = np.random.default_rng(0)
    sizes = [64, width, width, 10]
    weights = [tf.Variable(rng.normal(0, s[0] ** -0.5, s).astype("f"), name="kernel") for s in pairwise(sizes)]
    biases = [tf.Variable(np.zeros(n, "f"), name="bias") for n in sizes[1:]]
    variables = [*weights, *biases]
    x, y = tf.constant(rng.normal(size=(batch, 64)).astype("f")), tf.constant(rng.integers(0, 10, batch))

    def step() -> object:
        with tf.GradientTape() as tape:
            h = x
            for w, b in zip(weights[:-1], biases[:-1]):
                h = tf.nn.relu(h @ w + b)
            logits = h @ weights[-1] + biases[-1]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(0.01 * gradient, read_value=False)
        return loss

    return step


def loop(step: Callable[[], object]) -> Callable[[AbstractContextManager], None]:
    def run(around: AbstractContextManager) -> None:
        with around:
            for _ in range(STEPS):
                out = step()
            out.numpy()  # type: ignore[attr-defined]

    return run


def fit(batch: int, **options: object) -> tuple[Callable, Callable]:
    """A Keras model's `fit`, and the watcher of it: a context that has the callback."""
    keras = tf.keras
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(n, activation="relu") for n in (512, 512)]
    model = keras.Sequential([keras.Input((784,)), *layers, keras.layers.Dense(10)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), **options)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(STEPS * batch, 784)).astype("f"), rng.integers(0, 10, STEPS * batch)
    callback = tf.debugging.GradientMonitorCallback(terminal=False)

    def run(around: AbstractContextManager) -> None:
        with around as found:
            model.fit(x, y, batch_size=batch, verbose=0, shuffle=False, callbacks=[found] if found else [])

    return run, lambda: nullcontext(callback)


# ---- operations


def operations(around: AbstractContextManager) -> None:
    """Additions of a few numbers, which take as long as anything small does."""
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with around:
        for _ in range(OPERATIONS):
            x = x + 1.0


class checked(AbstractContextManager):
    """`enable_check_numerics` for a block."""

    def __enter__(self) -> None:
        tf.debugging.enable_check_numerics()

    def __exit__(self, *_: object) -> None:
        tf.debugging.disable_check_numerics()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    logging.getLogger("tapeflow").setLevel(logging.ERROR)
    # The same monitor again and again: it is traced once.
    again = lambda: (monitor := tf.debugging.GradientMonitor(terminal=False)) and (lambda: monitor)
    cases = {
        "eager loop, 64 units, batch 64": (loop(mlp_step(64, 64)), again()),
        "eager loop, 256 units, batch 256": (loop(mlp_step(256, 256)), again()),
        "tf.function, 256 units": (loop(tf.function(mlp_step(256, 256))), again()),
        "tf.function with XLA, 256 units": (loop(tf.function(mlp_step(256, 256), jit_compile=True)), again()),
        "Keras fit, batch 128, NumPy plan": fit(128, jit_compile=False),
        "Keras fit, batch 128, XLA": fit(128, jit_compile=True),
    }
    print(f"{'the gradient monitor, every 20 steps':40}{'without':>12}{'with':>12}{'more':>8}")
    for name, (run, watcher) in cases.items():
        for around in (nullcontext(), watcher()):  # traces and compiles
            run(around)
        without, watched = (1e6 * t / STEPS for t in best(run, watcher, rounds))
        print(f"{name:40}{without:9.0f} µs{watched:9.0f} µs{watched / without - 1:8.1%}", flush=True)
    print(f"\n{'an operation on 4 numbers':40}{'without':>12}{'with':>12}{'times':>8}")
    watchers = {
        "tf.debugging.explain_gradients": tf.debugging.explain_gradients,
        "tf.debugging.enable_check_numerics": checked,
    }
    for name, watcher in watchers.items():
        without, watched = (1e6 * t / OPERATIONS for t in best(operations, watcher, rounds))
        print(f"{name:40}{without:9.2f} µs{watched:9.2f} µs{watched / without:8.1f}")


if __name__ == "__main__":
    main()
