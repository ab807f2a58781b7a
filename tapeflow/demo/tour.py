"""The chapters of `tapeflow demo` after the training: short programs that are shown, run, and followed by what they
print.

A program is a text, so that what is shown is what runs; lines in its output are those of the text.
"""

import linecache
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["CHAPTERS", "Chapter", "chapters"]


class Chapter(NamedTuple):
    """A question and the program that answers it."""

    title: str
    file: str  # what the program is called in its output
    program: str
    needs_keras: bool = False

    def listing(self) -> str:
        """The program with its line numbers."""
        return "\n".join(f"{number:4}  {line}".rstrip() for number, line in enumerate(self.program.splitlines(), 1))

    def run(self) -> None:
        """Runs the program; it prints."""
        linecache.cache[self.file] = len(self.program), None, self.program.splitlines(True), self.file
        exec(compile(self.program, self.file, "exec"), {"__name__": "__demo__"})


CHAPTERS = [
    Chapter(
        "Why is my gradient None?",
        "why_none.py",
        """\
import tapeflow as tf

w = tf.Variable([0.4, 1.7], name="w")
scale, bias = tf.Variable(3.0, name="scale"), tf.Variable(0.5, name="bias")

with tf.debugging.explain_gradients():  # the lines outside of tapes are remembered, too
    shift = bias * 2.0
    with tf.GradientTape() as tape:
        rounded = tf.round(w)
        loss = tf.reduce_sum(rounded * float(scale) + shift)

print(tape.gradient(loss, [w, scale, bias]))
print(tape.explain(loss, [w, scale, bias]))
""",
    ),
    Chapter(
        "Where did the NaN in my function come from?",
        "where_nan.py",
        """\
import tapeflow as tf

here, there = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])

@tf.function
def pull():
    with tf.GradientTape() as tape:
        apart = here - there
        distance = tf.sqrt(tf.reduce_sum(apart * apart))
    return tape.gradient(distance, here)

print(pull().numpy())
with tf.debugging.enable_check_numerics():
    try:
        pull()
    except tf.errors.InvalidArgumentError as error:
        print(error)
""",
    ),
    Chapter(
        "What is wrong with this training?",
        "while_it_trains.py",
        """\
import tapeflow as tf

matrices = tf.random.normal([8, 16, 16], stddev=0.1, seed=1)
deep = [tf.Variable(matrices[k], name=f"deep{k}") for k in range(8)]
bias = tf.Variable(tf.linspace(-2.0, 0.2, 16), name="bias")
last = tf.Variable(tf.random.normal([16, 1], seed=9), name="last")
variables = [*deep, bias, last]

with tf.debugging.GradientMonitor(every=5, terminal=False) as monitor:
    for step in range(60):
        h = x = tf.random.normal([64, 16], seed=step)
        with tf.GradientTape() as tape:
            for w in deep:
                h = tf.sigmoid(h @ w)
            loss = tf.reduce_mean((tf.nn.relu(h + bias) @ last - x[:, :1]) ** 2)
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(0.02 * g)
print(monitor.summary())
""",
    ),
    Chapter(
        "Is my own gradient right?",
        "own_gradient.py",
        """\
import tapeflow as tf

@tf.custom_gradient
def softplus(x):
    e = tf.exp(x)
    return tf.math.log(1.0 + e), lambda g: g * e / (2.0 + e)

try:
    tf.test.check_gradients(softplus, [0.0, 1.0, 2.0])
except AssertionError as error:
    print(error)
print(tf.test.check_gradients(tf.nn.softplus, [0.0, 1.0, 2.0]))
""",
    ),
    Chapter(
        "What does the tape keep, and what takes the time?",
        "what_is_kept.py",
        """\
import tapeflow as tf

layers = tf.keras.layers
first, second = layers.Conv2D(8, 3, activation="relu"), layers.MaxPooling2D()
model = tf.keras.Sequential([first, second, layers.Flatten(), layers.Dense(10)])
images, labels = tf.random.normal([32, 28, 28, 1], seed=1), tf.range(32) % 10

with tf.debugging.explain_gradients(), tf.GradientTape() as tape:
    logits = model(images)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    loss = tf.reduce_mean(losses)
gradients = tape.gradient(loss, model.trainable_variables)
tape.summary()
""",
        needs_keras=True,
    ),
    Chapter(
        "All of it as a page for the browser",
        "a_page.py",
        """\
import tapeflow as tf

x = tf.random.normal([64, 32], seed=1)
matrices = tf.random.normal([5, 32, 32], stddev=0.2, seed=2)
names = ["query", "key", "value", "out", "hidden"]
weights = {name: tf.Variable(matrices[k], name=name) for k, name in enumerate(names)}

def dense(name, x):
    with tf.name_scope(name):
        return tf.tanh(x @ weights[name])

with tf.debugging.explain_gradients(), tf.GradientTape() as tape:
    query, key, value = dense("query", x), dense("key", x), dense("value", x)
    with tf.name_scope("attention"):
        mixed = tf.nn.softmax(query @ tf.transpose(key) / 8.0) @ value
    h = x + dense("out", mixed)
    loss = tf.reduce_mean((h + dense("hidden", h)) ** 2)
tape.gradient(loss, weights)
print("Open it:", tape.report(PAGE))
""",
    ),
]


def chapters(page: str, keras: bool) -> Iterator[Chapter]:
    """What is shown: `page` is where the report goes; without `keras`, what needs it is left out."""
    for chapter in CHAPTERS:
        if keras or not chapter.needs_keras:
            yield chapter._replace(program=chapter.program.replace("PAGE", repr(page)))
