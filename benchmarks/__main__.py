"""`python -m benchmarks`: every workload on tapeflow and on every peer, interleaved; prints tables, writes JSON and a
picture."""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

from . import measuring, report
from .peers import HERE, PEERS, REQUIREMENTS, python_of
from .workloads import TITLES

FIRST = "transformer"  # whose first call is timed
OTHERS = ("memory", "first", "imports", "footprint")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("workloads", nargs="*", help=f"some of {', '.join([*TITLES, *OTHERS])} (default: all)")
    parser.add_argument("--frameworks", default="tapeflow,numpy," + ",".join(REQUIREMENTS), help="separated by commas")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a peer's turn in a round")
    parser.add_argument(
        "--quick", action="store_true", help="tapeflow and NumPy only, two very short rounds: does it run?"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="folder for results.json and results.png")
    args = parser.parse_args(argv)
    if args.quick:
        args.frameworks, args.rounds, args.seconds = "tapeflow,numpy", 2, 0.02
    unknown = set(args.workloads) - {*TITLES, *OTHERS}
    if unknown:
        parser.error(f"no such workload: {', '.join(sorted(unknown))}")
    wanted = lambda name: not args.workloads or name in args.workloads

    frameworks = args.frameworks.split(",")
    pythons = {f: python for f in frameworks if (python := python_of(f))}
    results = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()},
        "rounds": args.rounds,
        "timings": {},
        "disagree": {},  # workloads to the peers that computed something else
        "absent": [f for f in frameworks if f not in pythons],
    }
    workers = start(pythons, results["absent"])
    try:
        for workload in filter(wanted, TITLES):
            print(f"{TITLES[workload]} ...", file=sys.stderr, flush=True)
            found = measuring.time_workload(workers, workload, args.rounds, args.seconds)
            results["timings"][workload] = found
            results["disagree"][workload] = measuring.disagreements(found)
    finally:
        for worker in workers:
            worker.close()
    few = 1 if args.quick else 3
    results["memory"] = measuring.peak_memory(pythons, few) if wanted("memory") and not args.quick else {}
    results["first"] = measuring.first_calls(pythons, FIRST, few) if wanted("first") and not args.quick else {}
    results["imports"] = measuring.import_times(pythons, few + 2) if wanted("imports") else {}
    results["footprints"] = measuring.footprints(pythons) if wanted("footprint") else {}

    print(
        "\n".join(
            [
                *report.lines(results),
                "",
                "### Summary: tapeflow's times, and those of the peers as multiples of that in the same mode",
                "",
                *report.summary(results),
            ]
        )
    )
    print("\n" + report.headline(results))
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    report.picture(results, args.out / "results.png")
    return 0


def start(pythons: dict[str, str], absent: list[str]) -> list[measuring.Worker]:
    workers = []
    for peer in PEERS:
        if peer.framework in pythons:
            try:
                workers.append(measuring.Worker(peer, pythons[peer.framework]))
            except RuntimeError as error:
                print(f"{peer.name} does not start: {error}", file=sys.stderr)
                absent.append(peer.name)
    return workers


if __name__ == "__main__":
    sys.exit(main())
