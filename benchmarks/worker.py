"""One framework's process: builds workloads and times them when told to. It imports nothing of the benchmark's driver.

python worker.py <framework> <variant>                    answers JSON lines on standard input with JSON lines
python worker.py <framework> <variant> memory             prints the peak memory of the memory workload
python worker.py <framework> <variant> first <workload>   prints the seconds of the workload's first step, which
                                                          traces and compiles
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


def sample(step, count):
    """Time per step, in seconds, when `count` are started one after the other and only the last is waited for."""
    gc.collect()
    began = time.perf_counter()
    for _ in range(count):
        loss = step.start()
    float(loss)
    return (time.perf_counter() - began) / count


def first_call(module, variant, workload):
    """The libraries, their threads and their devices are up by then: something small has been compiled and run."""
    build(module, variant, "square")()
    step = build(module, variant, workload)
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def serve(module, variant, answers):
    step = None
    for line in sys.stdin:
        ask = json.loads(line)
        answer = {}
        try:
            if ask["do"] in ("build", "free"):
                step = None  # lets go of the last workload first
                gc.collect()
                getattr(module, "freed", gc.collect)()
            if ask["do"] == "build":
                now = workloads.Now
                now.scale, now.dtype = ask.get("scale", "cpu"), ask.get("dtype", "float32")
                now.rate = ask.get("rate", workloads.RATE)
                began = time.perf_counter()
                step = build(module, variant, ask["workload"])
                if step is not None:
                    answer["losses"] = [
                        step() for _ in range(ask.get("steps", 3))
                    ]  # the later calls also warm up caches
                    answer["built"] = time.perf_counter() - began
            elif ask["do"] == "measure":
                answer["times"] = measure(step, ask["seconds"])
            elif ask["do"] == "sample":
                answer["time"] = sample(step, ask["count"])
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(answer), file=answers, flush=True)


# ---- memory


def status(field):
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def peak_memory(module, variant):
    """How far resident memory rises above its level just before the forward pass, in bytes.

    By then the input and the weights are there, so they are not counted; a tiny model of the same kind has been run,
    so neither are libraries and threads that come up on first use. Activations, gradients and temporaries are what
    remains.
    """
    wrap = module.VARIANTS[variant]
    module.memory(wrap, workloads.memory(width=16, batch=16))()
    step = module.memory(wrap, workloads.memory())
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # gives freed memory back, which would hide a part of the rise
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
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
    elif mode:
        print(first_call(module, variant, mode[1]), file=answers, flush=True)
    else:
        print("{}", file=answers, flush=True)  # ready
        serve(module, variant, answers)


if __name__ == "__main__":
    main()
