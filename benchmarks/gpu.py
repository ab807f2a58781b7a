"""`python -m benchmarks.gpu`: training steps compiled for a GPU, next to `jax.jit` written by hand, PyTorch and
`torch.compile`.

Every step is forward, gradient and SGD update. Steps are started one after the other and only the last is waited for,
so that what a framework does on the host counts only where the GPU has to wait for it. `--small` tries it all, also
without a GPU.

BENCH_ENV_torch=/path/to/python and BENCH_ENV_jax run these peers in environments of their own; otherwise all are in
this one.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from . import gpu_report
from .measuring import Worker
from .peers import HERE, Peer
from .workloads import RATES, SCALES

TITLES = {
    Peer("tapeflow", "xla"): "tapeflow",
    Peer("jax", "jit"): "`jax.jit`",
    Peer("jax", "scan"): "`jax.jit`, `lax.scan`",
    Peer("torch", "eager"): "PyTorch eager",
    Peer("torch", "library"): "PyTorch's fused routine",
    Peer("torch", "compile"): "`torch.compile`",
}
SELF, BY_HAND = Peer("tapeflow", "xla"), Peer("jax", "jit")
CHECKED = 6  # steps whose losses are compared


def settings(tf32: bool) -> dict[str, str]:
    """Of the processes. Those with XLA take their memory at once: not so much that there is none left for the
    others."""
    path = os.pathsep.join([str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    common = {"PYTHONPATH": path, "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.18", "BENCH_TF32": str(int(tf32))}
    return common if tf32 else common | {"JAX_DEFAULT_MATMUL_PRECISION": "highest"}


class Peers:
    """The processes, which are started again when one had to be ended."""

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables
        self.workers: dict[Peer, Worker] = {}
        self.absent: dict[str, str] = {}
        self.too_slow: set[tuple] = set()

    def start(self, peer: Peer) -> None:
        python = os.environ.get(f"BENCH_ENV_{peer.framework}", sys.executable)
        try:
            self.workers[peer] = Worker(peer, python, self.variables)
        except RuntimeError as error:
            self.workers.pop(peer, None)
            self.absent[TITLES[peer]] = str(error)

    def build(self, peer: Peer, limit: float, what: dict) -> dict:
        """The first losses; a compiler that takes longer than `limit` seconds is stopped, and not asked again in
        another dtype."""
        if limit < 1 or (peer, what["workload"]) in self.too_slow:
            return {"error": "no time left" if limit < 1 else "not tried, float32 took too long"}
        worker = self.workers[peer]
        alarm = threading.Timer(limit, worker.process.kill)
        alarm.start()
        answer = worker.ask(do="build", steps=CHECKED, **what)
        alarm.cancel()
        if worker.process.poll() is not None or "the process ended" in answer.get("error", ""):
            if worker.process.wait() == -signal.SIGKILL:
                answer = {"error": f"not ready after {limit:.0f} s"}
                self.too_slow.add((peer, what["workload"]))
            worker.close()
            self.start(peer)
        return answer

    def free(self) -> None:
        """Lets go of what was built last."""
        for worker in self.workers.values():
            worker.ask(do="free")

    def close(self) -> None:
        for worker in self.workers.values():
            worker.close()


def measured(peers: Peers, args: argparse.Namespace, deadline: float, what: dict) -> dict[str, dict]:
    """{title of the peer: {"losses", "built": seconds until the first losses were there, "times": of a step, one for
    each round}}"""
    found: dict[str, dict] = {}
    counts: dict[Peer, int] = {}
    for peer in list(peers.workers):
        answer = peers.build(peer, min(args.limit, deadline - time.monotonic()), what)
        if not answer:  # no such variant of this workload
            continue
        found[TITLES[peer]] = answer
        if "losses" in answer:
            print(f"    {TITLES[peer]}: {answer['built']:.1f} s to compile and warm up", file=sys.stderr, flush=True)
            answer |= {"times": []} | peers.workers[peer].ask(do="sample", count=5)
            if "time" in answer:
                counts[peer] = min(2000, max(3, round(args.seconds / answer.pop("time"))))
        if "error" in answer:
            print(f"    {TITLES[peer]}: {answer['error']}", file=sys.stderr, flush=True)
    turn = list(counts)
    for _ in range(args.rounds):
        for peer in turn:
            answer = peers.workers[peer].ask(do="sample", count=counts[peer])
            found[TITLES[peer]]["times"].append(answer.get("time", float("nan")))
        turn = turn[1:] + turn[:1]  # nobody always goes first
    peers.free()
    return found


def machine() -> dict[str, str]:
    """The GPU by its own name, and the versions of all that takes part."""
    try:
        asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        name, driver = (
            subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()[0].split(", ")
        )
        about = {"device": name, "driver": driver}
    except (OSError, subprocess.CalledProcessError, IndexError):
        about = {"device": "CPU (no GPU here)"}
    about["python"] = sys.version.split()[0]
    for package in ("jax", "torch", "numpy"):
        python = os.environ.get(f"BENCH_ENV_{package}", sys.executable)
        program = f"from importlib.metadata import version; print(version({package!r}))"
        done = subprocess.run([python, "-c", program], capture_output=True, text=True)
        about[package] = done.stdout.strip() or "not installed"
    return about


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("workloads", nargs="*", help=f"some of {', '.join(SCALES['gpu'])} (default: all)")
    parser.add_argument("--dtypes", default="float32,bfloat16", help="separated by commas")
    parser.add_argument("--frameworks", default="tapeflow,jax,torch", help="separated by commas")
    parser.add_argument("--no-tf32", action="store_true", help="float32 products in full precision, for everybody")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a peer's turn in a round")
    parser.add_argument("--minutes", type=float, default=8.0, help="after which nothing new is begun")
    parser.add_argument("--limit", type=float, default=100.0, help="seconds that a peer may take to compile a step")
    parser.add_argument("--small", action="store_true", help="tiny sizes and two short rounds: does it run?")
    parser.add_argument(
        "--out", type=Path, help="folder for GPU.md and gpu.json (default: this one; nothing with --small)"
    )
    args = parser.parse_args(argv)
    if args.small:
        args.rounds, args.seconds = 2, 0.02
    out = args.out or (None if args.small else HERE)
    scale, deadline = "small" if args.small else "gpu", time.monotonic() + 60 * args.minutes
    results: dict = {"machine": machine(), "tf32": not args.no_tf32, "scale": scale, "timings": {}, "skipped": []}
    results["peers"] = list(TITLES.values())

    peers = Peers(settings(not args.no_tf32))
    for peer in TITLES:
        if peer.framework in args.frameworks.split(","):
            peers.start(peer)
    results["absent"] = peers.absent
    try:
        for workload in args.workloads or SCALES[scale]:
            for dtype in args.dtypes.split(","):
                if (left := deadline - time.monotonic()) < 0:
                    results["skipped"].append(f"{workload}, {dtype}")
                    continue
                print(f"{workload}, {dtype} ({left:.0f} s left)", file=sys.stderr, flush=True)
                what = {"workload": workload, "scale": scale, "dtype": dtype, "rate": RATES[workload]}
                results["timings"][f"{workload} {dtype}"] = measured(peers, args, deadline, what)
                saved(results, out)  # after every workload: whatever stops the run, what was measured stays
    finally:
        peers.close()
    print(saved(results, out))
    return 0


def saved(results: dict, folder: Path | None) -> str:
    """The tables, which are also in the folder's GPU.md; the numbers are in its gpu.json."""
    report = "\n".join(gpu_report.lines(results, TITLES[SELF], TITLES[BY_HAND])) + "\n"
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "gpu.json").write_text(json.dumps(results, indent=1) + "\n")
        (folder / "GPU.md").write_text(report)
    return report


if __name__ == "__main__":
    sys.exit(main())
