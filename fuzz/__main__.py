"""`python -m fuzz`: search for a time, or replay one call."""

import argparse
import time
import warnings

from . import explained, report
from .calls import parse
from .search import in_parallel


def main():
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to search")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()), help="which calls; the same seed gives the same calls"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="processes, each with a seed of its own: SEED, SEED + 1, …"
    )
    parser.add_argument("--only", default="", help="functions whose name contains this")
    parser.add_argument("--kinds", default="", help="comparisons, separated by commas")
    parser.add_argument("--all", action="store_true", help="show explained disagreements, too")
    parser.add_argument("--replay", metavar="CALL", help="run this call in every interpretation")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    kinds = [k.strip() for k in options.kinds.split(",") if k.strip()] or None
    if options.replay:
        import tapeflow as tf

        print(report.replay(tf, parse(options.replay)))
        return 0
    result = in_parallel(options.jobs, options.only, options.seed, seconds=options.seconds, kinds=kinds)
    print(report.table(result, show_explained=options.all))
    return 1 if any(explained.reason(d) is None for d in result.disagreements) else 0


if __name__ == "__main__":
    raise SystemExit(main())
