"""Damages seeds, has them read, and judges the outcome. Each format runs in a forked child: a reader in C may end the
process."""

import collections
import os
import pickle
import random
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from typing import Any

from .formats import FORMATS, Format
from .mutations import damaged

__all__ = ["Finding", "case", "run", "table"]

SECONDS = 5.0  # of the processor, for one case: a damaged file of kilobytes is read or refused in milliseconds
SILENCE = 120.0  # seconds of any clock until a case that says nothing is given up
MEMORY = 1 << 30  # bytes that reading one may take
_BROKEN = 77  # a child's exit status


@dataclass(frozen=True)
class Finding:
    """A case that went wrong."""

    format: str
    number: int
    what: str
    where: str


class Hang(BaseException):
    pass


def run(
    names: list[str], seed: int, seconds: float | None = None, cases: int | None = None
) -> tuple[collections.Counter, list[Finding]]:
    """How many cases of each format were read or refused, and what was found: for a time each, or so many cases
    each."""
    counts: collections.Counter = collections.Counter()
    findings = []
    for name in names:
        first = 0
        started = time.monotonic()
        while True:
            left = None if seconds is None else seconds - (time.monotonic() - started)
            done, found = _in_a_child(name, seed, first, left, cases)
            findings += [finding for finding in found if finding.what not in FORMATS[name].excused]
            counts[name] += done - first
            if (
                done == cases
                or not found
                or found[-1].what not in ("the process ended", "no answer")
                or (left is not None and left <= 0)
            ):
                break
            first = done  # goes on behind the case that ended the process
    return counts, findings


def case(name: str, seed: int, number: int) -> tuple[Format, bytes]:
    """The bytes of one case."""
    chosen = FORMATS[name]
    rng = random.Random(f"{name} {seed} {number}")
    seeds = chosen.seeds()
    return chosen, damaged(seeds[rng.randrange(len(seeds))], rng)


def _in_a_child(
    name: str, seed: int, first: int, seconds: float | None, cases: int | None
) -> tuple[int, list[Finding]]:
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(reading)
        status = _BROKEN
        try:
            with os.fdopen(writing, "wb", buffering=0) as out:
                _cases(name, seed, first, seconds, cases, lambda message: out.write(pickle.dumps(message)))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    done, findings, answers = first, [], True
    with os.fdopen(reading, "rb", buffering=0) as messages:
        while answers and (answers := bool(select.select([messages], [], [], SILENCE)[0])):
            try:
                message = pickle.load(messages)
            except EOFError:
                break
            if isinstance(message, Finding):
                findings.append(message)
            else:
                done = message
    if not answers:  # a reader in C that hears no alarm
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == _BROKEN:
        raise RuntimeError(
            f"{name}: the undamaged file cannot be read, or the search itself failed; the traceback is above."
        )
    if status:
        findings.append(Finding(name, done, "the process ended" if answers else "no answer", f"exit status {status}"))
        done += 1
    return done, findings


def _cases(name: str, seed: int, first: int, seconds: float | None, cases: int | None, tell: Any) -> None:
    import resource

    warnings.simplefilter("ignore")
    limit = _size() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        chosen = FORMATS[name]
        expected = chosen.expected(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries' own words about damage
        end = None if seconds is None else time.monotonic() + seconds
        number = first
        while (end is None or time.monotonic() < end) and (cases is None or number < cases):
            tell(number)
            finding = judge(name, chosen, case(name, seed, number)[1], folder, expected, number)
            if finding:
                tell(finding)
            number += 1
        tell(number)


def judge(name: str, chosen: Format, data: bytes, folder: str, expected: Any, number: int = 0) -> Finding | None:
    """What is wrong with how a reader takes these bytes, if anything."""
    signal.signal(signal.SIGPROF, _raise_hang)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        found = chosen.result(data, folder)
    except Hang:
        return Finding(name, number, "takes too long", "")
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        what = chosen.objection(error)
        return Finding(name, number, what, _place(error)) if what else None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if chosen.accepts is not None and not chosen.accepts(found, expected):
        return Finding(name, number, "another value, silently", "")
    return None


def _raise_hang(*_: Any) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # a second one, for what catches everything, ends the process
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    raise Hang


def _size() -> int:
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _place(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "tapeflow" in f.filename]
    return f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""


def table(counts: collections.Counter, findings: list[Finding]) -> str:
    """A line for each format, and one for each kind of finding, with a case of it."""
    lines = [
        f"{name:24} {count:8} cases {sum(f.format == name for f in findings):6} found"
        for name, count in counts.items()
    ]
    kinds = collections.defaultdict(list)
    for finding in findings:
        kinds[finding.format, finding.what, finding.where].append(finding.number)
    for (name, what, where), numbers in sorted(kinds.items()):
        lines.append(f"{name}: {what} ({where}): {len(numbers)}, such as case {numbers[0]}")
    return "\n".join(lines)
