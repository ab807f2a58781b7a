"""`python -m fuzz.files`: search for a time, or one case again."""

import argparse
import sys
import tempfile
import time
import traceback

from .formats import FORMATS
from .search import case, run, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.files", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to search, all formats together")
    parser.add_argument("--cases", type=int, help="so many cases of each format, instead")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()), help="which damage; the same seed gives the same"
    )
    parser.add_argument("--only", default="", help="formats whose names contain this")
    parser.add_argument("--case", type=int, help="run this case alone, and show what it raises")
    options = parser.parse_args()
    names = [name for name in FORMATS if options.only in name]
    if options.case is not None:
        for name in names:
            _show(name, options.seed, options.case)
        return 0
    print(f"seed {options.seed}", flush=True)
    found = False
    for name in names:
        counts, findings = run(
            [name], options.seed, None if options.cases else options.seconds / len(names), options.cases
        )
        print(table(counts, findings), flush=True)
        found |= bool(findings)
    return 1 if found else 0


def _show(name: str, seed: int, number: int) -> None:
    chosen, data = case(name, seed, number)
    print(f"{name}: {len(data)} bytes, {data[:200]!r}{'…' if len(data) > 200 else ''}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            print("->", chosen.result(data, folder), "expected", chosen.expected(folder))
        except BaseException as error:
            traceback.print_exc()
            print("->", chosen.objection(error) or "as it should be", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
