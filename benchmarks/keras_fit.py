"""`fit` of four small Keras models on tapeflow and the other backends, interleaved: `python -m benchmarks.keras_fit
[MODEL ...]`.

A round is an epoch of 60 steps on each backend in turn; a backend's figure is its best epoch, in milliseconds a step.
"""

import argparse
import os
import subprocess
import sys
from statistics import median

from .keras_models import MODELS
from .measuring import ON_CPU
from .peers import HERE, python_of

BACKENDS = ("tapeflow", "jax", "tensorflow", "torch")


class Trainer:
    """A backend's process with a model that has been trained for some epochs."""

    def __init__(self, backend: str, model: str) -> None:
        python = python_of(backend)
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(HERE.parent)}
        self.times: list[float] = []
        self.first = self.engine = ""
        self.process = subprocess.Popen(
            [python or sys.executable, str(HERE / "keras_models.py"), backend, model], env=os.environ | ON_CPU | quiet,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        ready = self.process.stdout.readline().rstrip("\n")
        self.runs = bool(ready)
        if ready:
            self.first, self.engine = ready.split("\t")

    def epoch(self) -> None:
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.times.append(float(self.process.stdout.readline()))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def measured(model: str, backends: list[str], rounds: int) -> list[str]:
    """The table's row."""
    trainers = {backend: Trainer(backend, model) for backend in backends}
    running = [t for t in trainers.values() if t.runs]
    for number in range(rounds):
        turn = number % len(running)
        for trainer in running[turn:] + running[:turn]:  # nobody always goes first
            trainer.epoch()
    for trainer in trainers.values():
        trainer.close()
    own, cells = trainers["tapeflow"], []
    for backend, trainer in trainers.items():
        if not trainer.runs:
            cells.append("–")
        elif backend == "tapeflow":
            cells.append(f"{min(own.times):.2f} ({own.engine}; first epoch {own.first} s)")
        else:
            ratio = median(theirs / ours for theirs, ours in zip(trainer.times, own.times))
            cells.append(f"{min(trainer.times):.2f} ({ratio:.2f}×; {trainer.first} s)")
    return [model, *cells]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.keras_fit", description=__doc__)
    parser.add_argument("models", nargs="*", choices=[*MODELS, []], help=f"some of {', '.join(MODELS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--backends", default=",".join(BACKENDS), help="separated by commas")
    args = parser.parse_args()
    backends = args.backends.split(",")
    print("| ms a step (median ratio to tapeflow; first epoch) |", " | ".join(backends), "|")
    print("|---" * (1 + len(backends)) + "|")
    for model in args.models or MODELS:
        print("|", " | ".join(measured(model, backends, args.rounds)), "|", flush=True)


if __name__ == "__main__":
    main()
