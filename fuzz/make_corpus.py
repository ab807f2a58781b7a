"""TensorFlow's answers to calls of every function, for machines that do not have it.

    python -m fuzz.make_corpus --seed 1 --calls 8        # where TensorFlow is installed; writes fuzz/corpus.xz

Nothing here imports tapeflow. Each process answers some calls and says so after each, so that a call that ends
TensorFlow's process is known: its answer is {"crash": true}, and the next process goes on behind it.
"""

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from . import generate
from .calls import parse

FILE = Path(__file__).parent / "corpus.xz"


def wanted(tf, seed, calls, only=""):
    """The calls' texts: `calls` for each function that this library has and the tables describe."""
    texts = {}
    for name in generate.names(tf):
        for k in range(calls if only in name else 0):
            try:
                texts[str(generate.call(tf, name, 1000 * seed + k))] = None
            except LookupError:  # TensorFlow has functions that are not public in its documentation
                break
    return list(texts)


def work(texts_file, answers_file):
    """In a process of its own: answer the calls that have no answer yet."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import numpy as np
    import tensorflow as tf

    from .answers import answer

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    done = len(Path(answers_file).read_text(encoding="utf-8").splitlines())
    with open(answers_file, "a", encoding="utf-8") as out:
        for text in Path(texts_file).read_text(encoding="utf-8").splitlines()[done:]:
            out.write(json.dumps(answer(tf, parse(text)), separators=(",", ":")) + "\n")
            out.flush()


def answers(texts):
    """Their answers, by as many processes as it takes."""
    with tempfile.TemporaryDirectory() as folder:
        asked, given = Path(folder) / "calls", Path(folder) / "answers"
        asked.write_text("\n".join(texts))
        given.touch()
        while len(given.read_text().splitlines()) < len(texts):
            before = len(given.read_text().splitlines())
            code = subprocess.run(
                [sys.executable, "-m", "fuzz.make_corpus", "--work", str(asked), str(given)], stderr=subprocess.DEVNULL
            ).returncode
            lines = given.read_text().splitlines()
            if len(lines) < len(texts):
                print(f"TensorFlow's process ended with {code} at {texts[len(lines)]}")
                with open(given, "a", encoding="utf-8") as out:
                    out.write('{"crash":true}\n')
            elif len(lines) == before:
                raise SystemExit("no progress")
        return given.read_text().splitlines()


def main():
    parser = argparse.ArgumentParser(prog="python -m fuzz.make_corpus", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=8, help="of each function")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(*options.work)
    import tensorflow as tf

    texts = wanted(tf, options.seed, options.calls, options.only)
    found = answers(texts)
    text = "".join(f"{call}\t{given}\n" for call, given in zip(texts, found))
    options.out.write_bytes(lzma.compress(text.encode(), preset=9))
    print(f"{len(texts)} calls in {options.out}, {options.out.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
