"""A new thread sees nothing of who started it, whatever threads inherit."""

import contextvars
import subprocess
import sys
import threading

import pytest

from tapeflow.core.runtime.contexts import OwnOfThread


def in_a_thread(f):
    found = []
    thread = threading.Thread(target=lambda: found.append(f()))
    thread.start()
    thread.join()
    return found[0]


def test_what_is_inherited_does_not_count():
    variable = OwnOfThread("v", "default")
    outer = variable.set("outer")
    inner = variable.set("inner")
    context = contextvars.copy_context()
    assert context.run(variable.get) == "inner"  # an asyncio task

    def elsewhere():
        before = variable.get()
        token = variable.set("own")
        own = variable.get()
        variable.reset(token)
        return before, own, variable.get()

    assert in_a_thread(lambda: context.run(elsewhere)) == ("default", "own", "default")
    assert variable.get() == "inner"
    variable.reset(inner)
    assert variable.get() == "outer"
    variable.reset(outer)
    assert variable.get() == "default"


@pytest.mark.skipif(sys.version_info < (3, 14), reason="threads do not inherit contexts before Python 3.14")
def test_a_program_whose_threads_inherit():
    """On free-threaded Python, and with this option, a tape went on recording in threads that were started while it
    was open."""
    program = """if True:
        import asyncio, threading
        import tapeflow as tf
        x, found = tf.constant(3.0), {}

        def work(name):
            found[name] = x * x

        with tf.GradientTape() as tape, tf.name_scope("outer"):
            tape.watch(x)
            made = lambda: found.update(name=tf.Variable(1.0, name="v").name)
            thread = threading.Thread(target=lambda: (work("thread"), made()))
            thread.start()
            thread.join()

            async def task():
                work("task")

            asyncio.run(task())
            work("here")
        print([tape.gradient(found[n], x) is None for n in ("thread",)], found["name"])
        rows = tf.data.Dataset.range(4).map(lambda i: tf.random.uniform([], seed=1)).prefetch(2)
        print(len({float(r) for r in rows}))
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            asyncio.run(task())
        print(float(tape.gradient(found["task"], x)))
    """
    options = ["-X", "thread_inherit_context=1", "-W", "error", "-c", program]
    out = subprocess.run([sys.executable, *options], capture_output=True, text=True, check=False)
    assert out.stdout.split("\n")[:3] == ["[True] v:0", "4", "6.0"], out.stderr
