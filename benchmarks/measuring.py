"""Running the peers' processes: interleaved timings, memory, import time, footprint."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .peers import COMPILED, CONTROL, HERE, IN_MEMORY_TABLE, SELF, Peer, distribution_of

IMPORTS = {
    "tapeflow": "tapeflow",
    "numpy": "numpy",
    "torch": "torch",
    "tensorflow": "tensorflow",
    "jax": "jax",
    "autograd": "autograd.numpy",
}


# Everybody on the CPU, whatever else the machine has.
ON_CPU = {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}


class Worker:
    """A peer's process, alive from one workload to the next."""

    def __init__(self, peer: Peer, python: str, settings: dict[str, str] = ON_CPU) -> None:
        self.peer = peer
        self.messages = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  until close; a pipe would be full one day
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), peer.framework, peer.variant], env=os.environ | settings,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.messages, text=True,
        )  # fmt: skip
        if not self.process.stdout.readline():
            message = self.last_message()
            self.close()
            raise RuntimeError(message or "it ended at once")

    def last_message(self) -> str:
        self.messages.seek(0)
        return (self.messages.read().strip().splitlines() or [""])[-1]

    def ask(self, **request: Any) -> dict:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": f"the process ended: {self.last_message()}"}

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):  # it may have ended by itself
            self.process.stdin.close()
        self.process.stdout.close()
        self.messages.close()
        self.process.wait()


def time_workload(workers: list[Worker], workload: str, rounds: int, seconds: float) -> dict[str, dict]:
    """{peer: {"times": a list for each round, "losses": …}}, or {"missing": …}, or {"error": …}.

    One round is a turn for every peer, and rounds follow each other (A B C, A B C, …): what slows the machine for a
    while slows them all, and a ratio is taken within a round.
    """
    results: dict[str, dict] = {}
    taking_part = []
    for worker in workers:
        answer = worker.ask(do="build", workload=workload)
        name = worker.peer.name
        if "losses" in answer:
            results[name] = {"losses": answer["losses"], "times": []}
            taking_part.append(worker)
        else:
            results[name] = answer or {"missing": "no implementation"}
    for number in range(rounds):
        turn = number % len(taking_part) if taking_part else 0
        for worker in taking_part[turn:] + taking_part[:turn]:  # nobody always goes first
            time.sleep(0.05)  # lets the threads of the one before go to sleep
            answer = worker.ask(do="measure", seconds=seconds)
            if "times" in answer:
                results[worker.peer.name]["times"].append(answer["times"])
            else:
                results[worker.peer.name] |= answer
    return results


def disagreements(results: dict[str, dict]) -> list[str]:
    """Peers whose first losses are not tapeflow's: they would be timing something else."""
    ours = results.get(SELF.name, {}).get("losses") or results.get(CONTROL.name, {}).get("losses")
    return [
        name
        for name, result in results.items()
        if ours
        and "losses" in result
        and any(abs(a - b) > 2e-3 * max(1e-3, abs(a)) for a, b in zip(ours, result["losses"], strict=True))
    ]


def peak_memory(pythons: dict[str, str], rounds: int) -> dict[str, list[int]]:
    """Bytes above the level before the forward pass, a fresh process each time."""
    found: dict[str, list[int]] = {}
    for _ in range(rounds):
        for peer in IN_MEMORY_TABLE:
            if peer.framework in pythons:
                command = [pythons[peer.framework], str(HERE / "worker.py"), peer.framework, peer.variant, "memory"]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    print(f"{peer.name}: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}", file=sys.stderr)
                else:
                    found.setdefault(peer.name, []).append(int(done.stdout))
    return found


def first_calls(pythons: dict[str, str], workload: str, rounds: int) -> dict[str, list[float]]:
    """Seconds that the first step of a workload takes, with tracing and compiling, a fresh process each time."""
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for peer in COMPILED:
            if peer.framework in pythons:
                command = [
                    pythons[peer.framework],
                    str(HERE / "worker.py"),
                    peer.framework,
                    peer.variant,
                    "first",
                    workload,
                ]
                done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ON_CPU)
                if done.returncode:
                    print(f"{peer.name}: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}", file=sys.stderr)
                else:
                    found.setdefault(peer.name, []).append(float(done.stdout))
    return found


def import_times(pythons: dict[str, str], rounds: int) -> dict[str, list[float]]:
    """Seconds that the import statement takes in a fresh process."""
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for framework, python in pythons.items():
            program = (
                f"import time; t = time.perf_counter(); import {IMPORTS[framework]}; print(time.perf_counter() - t)"
            )
            done = subprocess.run([python, "-c", program], capture_output=True, text=True)
            if done.returncode == 0:
                found.setdefault(framework, []).append(float(done.stdout.split()[-1]))
    return found


def footprints(pythons: dict[str, str]) -> dict[str, dict[str, int]]:
    """Bytes on disk of each framework and all that it requires, by distribution."""
    found = {}
    for framework, python in pythons.items():
        command = [python, str(HERE / "footprint.py"), distribution_of(framework)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path.home())
        if done.returncode == 0 and (sizes := json.loads(done.stdout)):
            found[framework] = sizes
    return found
