"""The errors of `tf.errors`: they travel between processes."""

import doctest
import importlib
import pathlib
import pickle
import re
import sys
import traceback
import types

import pytest

import tapeflow as tf
from tapeflow.core.errors import line_of


@pytest.mark.parametrize(
    "call", [lambda: tf.ones([2, 3]) @ tf.ones([2, 3]), lambda: tf.constant(1) + tf.constant(1.0)]
)
def test_errors_pickle(call):
    """A clash of dtypes used to fail to pickle, so that a worker process died of it instead of reporting it."""
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call()
    sent = pickle.loads(pickle.dumps(caught.value))
    assert type(sent) is type(caught.value) and str(sent) == str(caught.value)
    assert (sent.error_code, sent.message) == (tf.errors.INVALID_ARGUMENT, caught.value.message)


def subclasses(kind):
    yield kind
    for each in kind.__subclasses__():
        yield from subclasses(each)


def test_errors_of_every_class_pickle():
    """Those that XLA's plan raises did not: they go by the name of another class."""
    package = pathlib.Path(tf.__file__).parent
    for file in package.rglob("*.py"):
        if re.search(r"^class \w+\(.*Error\b", file.read_text(encoding="utf-8"), re.MULTILINE):
            importlib.import_module(".".join(file.with_suffix("").relative_to(package.parent).parts))
    kinds = [k for k in set(subclasses(tf.errors.OpError)) if k.__module__.startswith("tapeflow.")]
    assert len(kinds) > 20
    for kind in kinds:
        error = kind(None, None, "too bad")
        sent = pickle.loads(pickle.dumps(error))
        assert type(sent).__name__ == kind.__name__ and isinstance(error, type(sent)) and sent.message == "too bad"


SHOWN = {
    "a shape": (lambda: tf.ones([2, 3]) @ tf.ones([2, 3]), "tapeflow.errors.InvalidArgumentError: "),
    "a clash of dtypes": (lambda: tf.constant(1) + tf.constant(1.0), "tapeflow.errors.InvalidArgumentError: "),
    "rows of different lengths": (
        lambda: tf.vmap(lambda x: tf.boolean_mask(x, x > 0))(tf.constant([[0.0, 1.0], [1.0, 1.0]])),
        "tapeflow.errors.InvalidArgumentError: ",
    ),
    "a condition": (
        lambda: tf.function(lambda x: 1 if x else 2, autograph=False, jit_compile=True)(tf.constant(1.0)),
        "tapeflow.errors.OperatorNotAllowedInGraphError: ",
    ),
    "a number": (lambda: tf.function(float)(tf.constant(1.0)), "TypeError: "),
    "a file": (lambda: tf.io.read_file("nowhere"), "tapeflow.errors.NotFoundError: "),
}


@pytest.mark.parametrize("how", SHOWN)
def test_tracebacks_show_the_names_that_programs_catch(how):
    """They named modules of ours, for which nobody searches."""
    call, beginning = SHOWN[how]
    with pytest.raises((tf.errors.OpError, TypeError)) as caught:
        call()
    assert traceback.format_exception_only(caught.value)[0].startswith(beginning)


def test_public_errors_are_where_they_say():
    for name in tf.errors.__all__:
        kind = getattr(tf.errors, name)
        if isinstance(kind, type):
            assert f"{kind.__module__}.{kind.__qualname__}" == f"tapeflow.errors.{name}"
            assert (
                pickle.loads(pickle.dumps(kind)) is kind is getattr(importlib.import_module("tapeflow.errors"), name)
            )


def test_the_example_runs():
    """Its class says that it is elsewhere, where the runner of examples does not look."""
    found = doctest.DocTestFinder().find(tf.errors.OpError, "OpError", module=False, globs={"tf": tf})
    assert sum(len(each.examples) for each in found) == 1
    assert all(doctest.DocTestRunner().run(each).failed == 0 for each in found)


def test_errors_can_be_made_of_a_text():
    """Keras does so, to say in which layer it happened: it would make a RuntimeError of an error that cannot be made
    so."""
    error = tf.errors.InvalidArgumentError("too bad")
    assert (str(error), error.message, error.node_def, error.op) == ("too bad", "too bad", None, None)


a, b = tf.ones([2, 5]), tf.ones([5, 2])
FIRST_SENTENCES = {
    "+": (lambda a, b: a + b, "Incompatible shapes: [2,5] vs. [5,2]"),
    "<": (lambda a, b: a < b, "Incompatible shapes: [2,5] vs. [5,2]"),
    "maximum": (tf.maximum, "Incompatible shapes: [2,5] vs. [5,2]"),
    "clip": (lambda a, b: tf.clip_by_value(a, b, b), "Incompatible shapes: [2,5] vs. [5,2]"),
    "where": (lambda a, b: tf.where(a > 0, a, b), "condition [2,5], then [2,5], and else [5,2] must be broadcastable"),
    "broadcast_to": (lambda a, b: tf.broadcast_to(a, [3, 3]), "Incompatible shapes: [2,5] vs. [3,3]"),
    "broadcast_to a lower rank": (
        lambda a, b: tf.broadcast_to(a, [5]),
        "Rank of input (2) must be no greater than rank of output shape (1).",
    ),
    "reshape": (
        lambda a, b: tf.reshape(a, [3, 3]),
        "Input to reshape is a tensor with 10 values, but the requested shape has 9",
    ),
    "concat": (
        lambda a, b: tf.concat([a, b], 0),
        "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,5] vs. shape[1] = [5,2]",
    ),
    "concat of ranks": (
        lambda a, b: tf.concat([a, b[0]], 0),
        "ConcatOp : Ranks of all input tensors should match: shape[0] = ",
    ),
    "stack": (
        lambda a, b: tf.stack([a, b]),
        "Shapes of all inputs must match: values[0].shape = [2,5] != values[1].shape = [5,2]",
    ),
    "matmul": (lambda a, b: a @ a, "Matrix size-incompatible: In[0]: [2,5], In[1]: [2,5]"),
    "matmul of batches": (
        lambda a, b: tf.ones([2, 3, 4]) @ tf.ones([3, 4, 5]),
        "In[0] and In[1] must have compatible batch dimensions: [2,3,4] vs. [3,4,5]",
    ),
    "an index": (lambda a, b: a[0, 7], "slice index 7 of dimension 1 out of bounds."),
    "indices": (lambda a, b: a[0, 0, 0], "Index out of range using input dim 2; input has only 2 dims"),
    "gather": (lambda a, b: tf.gather(a, [[7]]), "indices[0,0] = 7 is not in [0, 2)"),
    "a cross entropy": (
        tf.nn.softmax_cross_entropy_with_logits,
        "logits and labels must be broadcastable: logits_size=[5,2] labels_size=[2,5]",
    ),
}


@pytest.mark.parametrize("how", ["eagerly", "traced", "for any sizes", "under a tape"])
@pytest.mark.parametrize("name", FIRST_SENTENCES)
def test_first_sentences(name, how):
    """They are what people search for; eagerly, NumPy's words were there instead."""
    call, sentence = FIRST_SENTENCES[name]
    run = {
        "eagerly": lambda: call(a, b),
        "traced": lambda: tf.function(call)(a, b),
        "for any sizes": lambda: tf.function(call, input_signature=[tf.TensorSpec([None, None])] * 2)(a, b),
        "under a tape": lambda: watched(call),
    }[how]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run()
    wanted = re.escape(sentence)
    if how == "for any sizes":  # what no size can mend is found before there are any
        wanted = re.sub(r"\\\[\d,\d\\\]", r"\\[\\S,\\S\\]", wanted)
    assert re.match(wanted, str(caught.value)), str(caught.value)


def watched(call):
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        return call(a, b)


def test_kernels_speak_for_themselves_where_shapes_are_right():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.linalg.inv([[0.0, 0.0], [0.0, 0.0]])


def test_places_in_a_notebook_are_cells(monkeypatch):
    """The name of their file is a number that nobody knows."""
    compiler = types.SimpleNamespace(
        format_code_name=lambda file: ("Cell", "In[16]") if file == "/tmp/17.py" else None
    )
    shell = types.SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    assert line_of(("/tmp/17.py", 3)) == "Cell In[16], line 3"
    assert line_of(("/tmp/train.py", 3)) == "train.py:3"
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert line_of(("/tmp/17.py", 3)) == "17.py:3"


of = tf.zeros
INVALID = tf.errors.InvalidArgumentError
# What TensorFlow's message begins with, by which programs and tests recognise an error: whole, or up to the part that
# names TensorFlow's own operation.
MESSAGES = [
    (lambda: tf.constant([1.0, 2.0, 3.0]) + of([4]), INVALID, "Incompatible shapes: [3] vs. [4]"),
    (lambda: tf.maximum(of([2, 5]), of([5, 2])), INVALID, "Incompatible shapes: [2,5] vs. [5,2]"),
    (lambda: of([2, 5]) @ of([2, 5]), INVALID, "Matrix size-incompatible: In[0]: [2,5], In[1]: [2,5]"),
    (lambda: tf.tensordot(of([2, 3]), of([2, 3]), 1), INVALID, "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"),
    (lambda: tf.reshape(of([6]), [4, -1]), INVALID, "Input to reshape is a tensor with 6 values"),
    (lambda: tf.expand_dims(of([2]), 5), INVALID, "Tried to expand dim index 5 for tensor with 1 dimensions"),
    (lambda: tf.reduce_sum(of([2]), 3), INVALID, "Invalid reduction dimension (3 for input with 1 dimension(s)"),
    (lambda: tf.transpose(of([2, 3]), [0]), INVALID, "transpose expects a vector of size 2. But input(1) is a "
     "vector of size 1"),
    (lambda: tf.tile(of([2]), [1, 2]), INVALID, "Expected multiples argument to be a vector of length 1 but"),
    (lambda: tf.pad(of([2]), [[1, 1], [1, 1]]), INVALID, "The first dimension of paddings must be the rank of inputs"),
    (lambda: tf.slice(of([2]), [0], [5]), INVALID, "Expected size[0] in [0, 2], but got 5"),
    (lambda: tf.slice(of([2]), [3], [0]), INVALID, "Expected begin[0] in [0, 2], but got 3"),
    (lambda: tf.nn.bias_add(of([2, 3]), of([2])), INVALID, "Must provide as many biases as the last dimension"),
    (lambda: tf.Variable([1.0]).assign_add([1.0, 2.0]), INVALID, "Cannot update variable with shape [1] using a "
     "Tensor with shape [2], shapes must be equal"),
    (lambda: tf.linalg.inv(of([2, 2])), INVALID, "Input is not invertible"),
    (lambda: tf.linalg.solve(of([2, 2]), of([3, 1])), INVALID, "Input matrix and rhs are incompatible"),
    (lambda: tf.scatter_nd([[5]], [1.0], [3]), INVALID, "indices[0] = [5] does not index into shape [3]"),
    (lambda: tf.math.segment_sum(of([2]), [1, 0]), INVALID, "segment ids are not increasing"),
    (lambda: tf.math.top_k(of([2]), 5), INVALID, "input must have at least k columns. Had 2, needed 5"),
    (lambda: tf.add_n([of([2]), of([3])]), INVALID, "Inputs to operation AddN"),
    (lambda: tf.zeros([-1]), INVALID, "Dimension -1 must be >= 0"),
    (lambda: tf.random.normal([-1]), INVALID, "Dimension -1 must be >= 0"),
    (lambda: tf.math.bincount([-1]), INVALID, "Input arr must be non-negative!"),
    (lambda: int(of([2])), TypeError, "only 0-dimensional arrays can be converted to Python scalars"),
    (lambda: tf.image.crop_to_bounding_box(of([4, 4, 1]), 0, 0, 9, 9), ValueError, "width must be >= target + offset"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "start"), MESSAGES, ids=[s for _, _, s in MESSAGES])
def test_errors_begin_with_tensorflows_sentence(call, kind, start):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(start)
