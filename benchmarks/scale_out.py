"""How much faster several workers train: `python benchmarks/scale_out.py --workers 1 2 4`.

An MLP of three layers of 2048, a batch of 8192 for all workers together, on as many cores for each worker (`--cores`),
and no others: on two cores, `--workers 1 2 --cores 1`. `--by` says how workers compute together: a program over whole
arrays (keras.distribution), or replicas (tf.distribute).

It needs an idle machine with cores for all: workers wait for the slowest at every step. For each number of workers it
prints the best step of a few rows, and where its time goes: the step as a whole, and the exchange of the gradients
alone.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def worker(options: argparse.Namespace) -> None:
    os.environ["KERAS_BACKEND"] = "tapeflow"
    import keras
    import numpy as np

    import tapeflow as tf

    how = Replicas(tf) if options.by == "strategy" else WholeArrays(keras, tf)
    keras.utils.set_random_seed(1)
    with how.scope():
        layers = [keras.layers.Dense(options.width, "relu") for _ in range(3)]
        model = keras.Sequential([keras.Input((options.width,)), *layers, keras.layers.Dense(10)])
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=True)
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(options.batch, options.width)).astype("float32"), rng.integers(0, 10, options.batch)
    batches = tf.data.Dataset.from_tensors((x, y)).repeat(options.steps)
    seconds: list[float] = []

    class Clock(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
            self.begun = time.perf_counter()

        def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
            seconds.append((time.perf_counter() - self.begun) / options.steps)

    model.fit(batches, epochs=options.rows + 1, verbose=0, callbacks=[Clock()])
    rows_of_steps = seconds[1:]  # the first one compiles

    count = sum(int(np.prod(v.shape)) for v in model.trainable_variables)
    exchange = 0.0
    if how.workers > 1:
        sum_up = how.exchange(np.zeros((how.workers, count), np.float32))
        exchange = min(timed(sum_up, options.steps) for _ in range(options.rows + 1))
    if how.number == 0:
        print(f"RESULT {min(rows_of_steps):.6f} {exchange:.6f}", flush=True)


class WholeArrays:
    """One program over whole arrays, which XLA's partitioner divides."""

    def __init__(self, keras, tf) -> None:
        self.keras, self.tf = keras, tf
        keras.distribution.initialize()
        self.distribution = keras.distribution.DataParallel()
        keras.distribution.set_distribution(self.distribution)
        self.workers, self.number = self.distribution.device_mesh.devices.size, self.distribution.data_shard_id

    def scope(self):
        return contextlib.nullcontext()

    def exchange(self, parts):
        """What sums parts up of which each worker has one."""
        layout = self.keras.distribution.TensorLayout(("batch", None), self.distribution.device_mesh)
        spread = self.keras.distribution.distribute_tensor(parts, layout)
        whole = self.tf.function(lambda t: self.tf.reduce_sum(t, axis=0))
        return lambda: whole(spread)


class Replicas:
    """A replica in each worker."""

    def __init__(self, tf) -> None:
        self.tf, self.strategy = tf, tf.distribute.MultiWorkerMirroredStrategy()
        self.workers, self.scope = self.strategy.num_replicas_in_sync, self.strategy.scope
        self.number = self.strategy.cluster_resolver.task_id or 0

    def exchange(self, parts):
        """What sums parts up of which each worker has one."""
        tf, own = self.tf, self.tf.constant(parts[0])
        whole = lambda: tf.distribute.get_replica_context().all_reduce("SUM", own)
        return tf.function(lambda: self.strategy.run(whole))


def timed(step, count: int) -> float:
    """Seconds of one, in a row of so many."""
    begun = time.perf_counter()
    for _ in range(count):
        step()
    return (time.perf_counter() - begun) / count


def measured(workers: int, options: argparse.Namespace) -> tuple[float, float]:
    """(Seconds of a step, of an exchange) of so many workers."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    needed = workers * options.cores
    if cores and len(cores) < needed:
        raise SystemExit(f"{workers} workers need {needed} cores, and there are {len(cores)}: give --cores.")
    own = [sys.executable, "-m", "tapeflow", "launch", "--workers", str(workers), str(Path(__file__).resolve())]
    given = [f"--{name}={getattr(options, name)}" for name in ("width", "batch", "steps", "rows", "by")]
    inside = lambda: os.sched_setaffinity(0, cores[:needed]) if cores else None
    done = subprocess.run(
        [*own, "--worker", *given], capture_output=True, text=True, cwd=ROOT, preexec_fn=inside,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    found = [line.split()[-2:] for line in done.stdout.splitlines() if "RESULT" in line]
    if not found:
        raise SystemExit(done.stdout + done.stderr)
    step, exchange = map(float, found[0])
    return step, exchange


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--cores", type=int, default=2, help="of each worker")
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=8192, help="of all workers together")
    parser.add_argument("--steps", type=int, default=5, help="in a row")
    parser.add_argument("--rows", type=int, default=3)
    parser.add_argument("--by", choices=["distribution", "strategy"], default="distribution")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    if "--worker" in sys.argv:
        sys.argv.remove("--worker")
        worker(parser.parse_args())
        return
    options = parser.parse_args()
    print("| workers | a step, ms | of it the exchange, ms | faster than one |\n|---|---|---|---|")
    first = None
    for count in options.workers:
        step, exchange = measured(count, options)
        first = first or step
        print(f"| {count} | {1e3 * step:.1f} | {1e3 * exchange:.1f} | {first / step:.2f} |", flush=True)


if __name__ == "__main__":
    main()
