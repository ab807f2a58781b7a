"""How much faster several workers train: `python benchmarks/scale_out.py`, on an idle machine with eight cores.

An MLP of three layers of 2048, a batch of 8192 for all workers together, by 1, 2 and 4 workers with two cores each
(`--workers`, `--cores`), and no others: on two cores, `--workers 1 2 --cores 1`. Workers compute together in two ways
(`--by`): as replicas (tf.distribute), or by a program over whole arrays (keras.distribution).

Workers wait for the slowest at every step, so anything else that runs spoils the times. For each number of workers
there is the best step of a few rows, and where it goes: the exchange of the gradients alone, and the processor time of
the first worker. What is counted does not depend on the machine: how many arrays go to the devices at each step, and
how many exchanges there are besides those in the program. At the end it says whether two workers are 1.7 times as fast
as one, and four 3 times; if they are not, the status is 1.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WANTED = {2: 1.7, 4: 3.0}  # times as fast as one worker
LOAD = 0.5  # processes that are busy with something else, at most


def worker(options: argparse.Namespace) -> None:
    os.environ["KERAS_BACKEND"] = "tapeflow"
    import keras
    import numpy as np

    import tapeflow as tf

    how = Replicas(tf) if options.by == ["strategy"] else WholeArrays(keras, tf)
    keras.utils.set_random_seed(1)
    with how.scope():
        layers = [keras.layers.Dense(options.width, "relu") for _ in range(3)]
        model = keras.Sequential([keras.Input((options.width,)), *layers, keras.layers.Dense(10)])
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=True)
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(options.batch, options.width)).astype("float32"), rng.integers(0, 10, options.batch)
    batches = tf.data.Dataset.from_tensors((x, y)).repeat(options.steps)
    rows: list[tuple[float, float]] = []
    counts = counted() if how.workers > 1 else {}

    class Clock(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
            counts.update(dict.fromkeys(counts, 0))
            self.begun = time.perf_counter(), time.process_time()

        def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
            now = time.perf_counter(), time.process_time()
            rows.append(tuple((after - before) / options.steps for before, after in zip(self.begun, now)))

    model.fit(batches, epochs=options.rows + 1, verbose=0, callbacks=[Clock()])
    step, busy = (min(each) for each in zip(*rows[1:]))  # the first one compiles
    each_step = {name: count / options.steps for name, count in counts.items()}

    count = sum(int(np.prod(v.shape)) for v in model.trainable_variables)
    exchange = 0.0
    if how.workers > 1:
        sum_up = how.exchange(np.zeros((how.workers, count), np.float32))
        exchange = min(timed(sum_up, options.steps) for _ in range(options.rows + 1))
    if how.number == 0:
        found = {"step": step, "exchange": exchange, "busy": busy, "floats": count, **each_step}
        print("RESULT", json.dumps(found), flush=True)


def counted() -> dict[str, int]:
    """How often these have been called, from now on."""
    from tapeflow.engines.xla import exchanges, meshes

    counts = {"sent": 0, "exchanges": 0}

    def watch(module, function: str, name: str) -> None:
        before = getattr(module, function)

        def call(*args, **kwargs):
            counts[name] += 1
            return before(*args, **kwargs)

        setattr(module, function, call)

    watch(meshes, "joined", "sent")
    watch(meshes, "spread", "sent")
    watch(exchanges, "_exchanged", "exchanges")
    return counts


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


def measured(workers: int, by: str, options: argparse.Namespace) -> dict[str, float]:
    """What so many workers have found."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    needed = workers * options.cores
    if cores and len(cores) < needed:
        raise SystemExit(f"{workers} workers need {needed} cores, and there are {len(cores)}: give --cores.")
    own = [sys.executable, "-m", "tapeflow", "launch", "--workers", str(workers), str(Path(__file__).resolve())]
    given = [f"--{name}={getattr(options, name)}" for name in ("width", "batch", "steps", "rows")]
    inside = lambda: os.sched_setaffinity(0, cores[:needed]) if cores else None
    done = subprocess.run(
        [*own, "--worker", *given, "--by", by], capture_output=True, text=True, cwd=ROOT, preexec_fn=inside,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    found = [line.partition("RESULT ")[2] for line in done.stdout.splitlines() if "RESULT" in line]
    if not found:
        raise SystemExit(done.stdout + done.stderr)
    return json.loads(found[0])


def table(by: str, options: argparse.Namespace) -> bool:
    """Prints the table of one way to compute together; is it as fast as is wanted?"""
    what = {"strategy": "tf.distribute.MultiWorkerMirroredStrategy", "distribution": "keras.distribution.DataParallel"}
    heads = ["workers", "a step, ms", "of it the exchange, ms", "processor of a worker, ms", "sent", "exchanges"]
    print(f"\n{what[by]}, 3 x {options.width}, batch {options.batch}, {options.cores} cores for each worker\n")
    print(f"| {' | '.join([*heads, 'faster than one'])} |\n{'|---' * 7}|", flush=True)
    gains: dict[int, float] = {}
    first = None
    for count in options.workers:
        found = measured(count, by, options)
        first = first or found["step"]
        gains[count] = first / found["step"]
        times = " | ".join(f"{1e3 * found[name]:.1f}" for name in ("step", "exchange", "busy"))
        counts = " | ".join(f"{found.get(name, 0):g}" for name in ("sent", "exchanges"))
        print(f"| {count} | {times} | {counts} | {gains[count]:.2f} |", flush=True)
    print()
    fast = True
    for count in sorted(WANTED.keys() & gains.keys() if options.workers[0] == 1 else ()):
        fast &= (reached := gains[count] >= WANTED[count])
        verdict = "passed" if reached else "FAILED"
        print(f"{count} workers: {gains[count]:.2f} times one, at least {WANTED[count]} is wanted: {verdict}")
    return fast


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--cores", type=int, default=2, help="of each worker")
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=8192, help="of all workers together")
    parser.add_argument("--steps", type=int, default=5, help="in a row")
    parser.add_argument("--rows", type=int, default=3)
    parser.add_argument("--by", choices=["strategy", "distribution"], nargs="+", default=["strategy", "distribution"])
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    if "--worker" in sys.argv:
        sys.argv.remove("--worker")
        worker(parser.parse_args())
        return
    options = parser.parse_args()
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if busy > LOAD:
        print(f"The machine is busy (load {busy:.1f}): do not trust the times, nor what is said of them.")
    fast = [table(by, options) for by in options.by]
    raise SystemExit(0 if all(fast) else 1)


if __name__ == "__main__":
    main()
