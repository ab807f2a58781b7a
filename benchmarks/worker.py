"""One framework's process: builds workloads and times them when told to. It imports nothing of the benchmark's driver.

python worker.py <framework> <variant>            answers JSON lines on standard input with JSON lines
python worker.py <framework> <variant> memory     prints the peak memory of the memory workload
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import sys
import time

import workloads


def build(module, variant, workload):
    """The workload's step, or None when the framework has no implementation of it (or none in this variant)."""
    make = getattr(module, workload, None)
    if make is None or workload not in getattr(module, variant.upper(), workloads.TITLES):
        return None
    return make(module.VARIANTS[variant])


def measure(step, seconds):
    """Time per call, in seconds, for each of several batches of calls that take about `seconds` together."""
    began = time.perf_counter()
    step()
    once = time.perf_counter() - began
    calls = max(1, int(seconds / 15 / max(once, 1e-7)))
    batches = min(15, max(3, int(seconds / (calls * once))))
    gc.collect()
    gc.disable()
    times = []
    for _ in range(batches):
        began = time.perf_counter()
        for _ in range(calls):
            step()
        times.append((time.perf_counter() - began) / calls)
    gc.enable()
    return times


def serve(module, variant, answers):
    step = None
    for line in sys.stdin:
        ask = json.loads(line)
        answer = {}
        try:
            if ask["do"] == "build":
                step = None  # lets go of the last workload first
                gc.collect()
                step = build(module, variant, ask["workload"])
                if step is not None:
                    answer["losses"] = [step() for _ in range(3)]  # the later calls also warm up compilers and caches
            elif ask["do"] == "measure":
                answer["times"] = measure(step, ask["seconds"])
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(answer), file=answers, flush=True)


# ---- memory


def status(field):
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def peak_memory(module, variant):
    """How far resident memory rises above its level just before the forward pass, in bytes.

    By then the input and the weights are there, so they are not counted; a tiny model of the same kind has been run, so neither
    are libraries and threads that come up on first use. Activations, gradients and temporaries are what remains.
    """
    wrap = module.VARIANTS[variant]
    module.memory(wrap, workloads.memory(width=16, batch=16))()
    step = module.memory(wrap, workloads.memory())
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # gives freed memory back, which would hide a part of the rise
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # sets the high-water mark back to the present
    before = status("VmRSS")
    result = step()
    peak = status("VmHWM") - before
    del result
    return peak


def main():
    framework, variant, *mode = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not mix with the answers
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    module = importlib.import_module(f"with_{framework}")
    if mode == ["memory"]:
        print(peak_memory(module, variant), file=answers, flush=True)
    else:
        print("{}", file=answers, flush=True)  # ready
        serve(module, variant, answers)


if __name__ == "__main__":
    main()
