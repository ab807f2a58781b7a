"""How much faster several workers train: `python benchmarks/scale_out.py --workers 1 2 4`.

An MLP of three layers of 2048, a batch of 8192 for all workers together, on as many cores for each worker (`--cores`).
It needs an idle machine with cores for all: workers wait for the slowest at every step. For each number of workers it
prints the best step of a few rows, and where its time goes: the step as a whole, and the exchange of the gradients
alone.
"""

import argparse
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

    keras.distribution.initialize()
    keras.utils.set_random_seed(1)
    distribution = keras.distribution.DataParallel()
    keras.distribution.set_distribution(distribution)
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
    layout = keras.distribution.TensorLayout(("batch", None), distribution.device_mesh)
    size = distribution.device_mesh.devices.size
    exchange = 0.0
    if size > 1:
        part = keras.distribution.distribute_tensor(np.zeros((size, count), np.float32), layout)
        whole = tf.function(lambda t: tf.reduce_sum(t, axis=0))
        exchange = min(timed(lambda: whole(part), options.steps) for _ in range(options.rows + 1))
    if distribution.data_shard_id == 0:
        print(f"RESULT {min(rows_of_steps):.6f} {exchange:.6f}", flush=True)


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
    given = [f"--{name}={getattr(options, name)}" for name in ("width", "batch", "steps", "rows")]
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
