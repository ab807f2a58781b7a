"""A program: steps of every kind, each interrupted by as many signals as the command line says, at random times.

The signals are those of a timer, for which Python does what it does for Ctrl-C: so it does not matter what the parent
has set for SIGINT.
"""

import faulthandler
import random
import signal
import sys
import threading

import numpy as np

from keras_tapeflow import hook

hook.choose()

import keras  # noqa: E402

import tapeflow as tf  # noqa: E402


def interrupted(act, seconds):
    """Runs `act` again and again until a signal comes. (One is lost when it comes while jax listens to the garbage
    collector: so another.)"""
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, seconds), 0.3)
            while True:
                act()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass


class Eager:
    together = False  # one variable after the other

    def __init__(self):
        self.variables = [tf.Variable(np.zeros(s, np.float32)) for s in ([3], [200, 100], [])]
        self.table = tf.IndexedSlices(tf.ones([400, 100]), tf.repeat(tf.range(200), 2))

    def act(self):
        with tf.GradientTape() as tape:
            loss = sum(tf.reduce_sum(v * 0.5) for v in self.variables)
        for v, g in zip(self.variables, tape.gradient(loss, self.variables)):
            v.assign_add(2.0 * g)
        self.variables[1].scatter_add(self.table)
        self.variables[1].scatter_sub(self.table)

    def check(self):
        found = [v.numpy() for v in self.variables]
        for value in found:
            assert (value == value.max()).all(), value
        if self.together:
            assert len({float(value.max()) for value in found}) == 1, found


class Compiled(Eager):
    together = True

    def __init__(self, jit, device="CPU:0"):
        self.device = device
        with tf.device(device):
            self.variables = [tf.Variable(np.zeros(s, np.float32)) for s in ([3], [200, 100], [])]

        @tf.function(jit_compile=jit)
        def step():
            for v in self.variables:
                v.assign_add(tf.ones_like(v))

        self.act = step


class Fit:
    """Every weight grows by one in each step, as does the number of steps."""

    def __init__(self, jit):
        self.model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, kernel_initializer="zeros")])
        self.model.compile(keras.optimizers.SGD(3.0), lambda y, p: -tf.reduce_mean(p, 1), jit_compile=jit)
        self.data = np.ones((16, 4), np.float32), np.ones((16, 3), np.float32)
        self.model.fit(*self.data, batch_size=4, epochs=2, verbose=0)

    def act(self):
        self.model.fit(*self.data, batch_size=4, epochs=10**6, verbose=0)

    def check(self):
        found = [*self.model.get_weights(), self.model.optimizer.iterations.numpy()]
        assert all(np.allclose(value, found[-1], rtol=1e-5) for value in found), found


class Generator:
    def __init__(self):
        self.generator = tf.random.Generator.from_seed(1)
        self.key = int(self.generator.key)

    def act(self):
        self.generator.normal([3])

    def check(self):
        assert int(self.generator.key) == self.key and self.generator.state.shape == [3]
        self.generator.normal([3])


KINDS = {
    "eager": (Eager, 2e-3),
    "plan": (lambda: Compiled(None), 1e-3),
    "XLA": (lambda: Compiled(True), 1e-3),
    "on a device": (lambda: Compiled(True, "XLA_CPU:0"), 1e-3),
    **({"on a GPU": (lambda: Compiled(True, "GPU:0"), 1e-3)} if tf.config.list_physical_devices("GPU") else {}),
    "a generator": (Generator, 1e-3),
    "fit, plan": (lambda: Fit(False), 2e-2),
    "fit, XLA": (lambda: Fit(True), 2e-2),
    "fit, auto": (lambda: Fit("auto"), 2e-2),
}


def main(times):
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for kind, (make, seconds) in KINDS.items():
        faulthandler.dump_traceback_later(240, exit=True)  # who waits, and for what
        random.seed(0)
        steps = make()
        if sys.version_info >= (3, 14) and not isinstance(steps, Fit):
            steps.act()  # compiles, which imports: there an interrupt can leave Python's own lock of a module taken
        for _ in range(times // (3 if isinstance(steps, Fit) else 1)):
            interrupted(steps.act, seconds)
            steps.check()
        other = threading.Thread(target=steps.check)  # no lock is held that a thread waits for
        other.start()
        other.join(20)
        assert not other.is_alive()
        print(kind, "held", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
