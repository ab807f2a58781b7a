"""Shape rules say what kernels say: what a kernel refuses for its shapes they refuse, and else they know the shape
that comes out.

A tf.function is traced by shape rules alone. A mistake that they do not see shows up when the function runs, without
the line that made it.
"""

import re

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.fitting import differ, same_number, same_sizes, spreads
from tapeflow.core.primitive import REGISTRY, Spec
from tapeflow.core.sizes import Expression, Size
from tapeflow.core.tensor import EagerTensor

from .samples import all_samples
from .test_registry import parts

SAMPLES = all_samples()

# What kernels refuse for the values in these shapes, by what they say: no rule can know.
BY_VALUES = {
    "cholesky": "decomposition was not successful",  # of zeros
    "uncompress": "where the mask is true|indexing result",  # as many rows as the mask has true elements
    "invert_permutation": "is not a permutation",
    "random_integers": "minval < maxval",
    "sample_classes": "range is too small",
    # an index into nothing
    "gather": r"not in \[0, 0\)", "take": r"not in \[0, 0\)", "flat_rows": r"not in \[0, 0\)",
    "clear_rows": "with size 0", "ravel_index": "does not index into", "flat_segments": "num_segments=0",
}  # fmt: skip

# Where the rule refuses what the kernel computes by accident: it has no time to look, and is only called by those who
# have looked.
ADJOINTS = {
    "add_along",
    "attention_grad",
    "conv_filter_grad",
    "conv_input_grad",
    "from_minors",
    "log_softmax_grad",
    "minors",
    "path_scan",
    "softmax_cross_entropy_grad",
    "softmax_grad",
    "sparse_softmax_cross_entropy_grad",
    "unpool",
    "unslice",
    "window_spread",
}
OF_OTHERS = {
    "adam", "attention", "contract", "conv", "ctc_beam_search", "ctc_forward", "ctc_greedy", "descend",
    "descend_with_momentum", "diag_matrix", "dilation_origin", "gather_or_zero", "gru_step", "gru_step_grad",
    "linear_scan", "lstm_step", "lstm_step_grad", "max_pool", "minus_one_hot", "origin_index", "outlines",
    "random_window", "resample", "sample_classes", "searchsorted", "shuffled_index", "softmax_cross_entropy",
    "sparse_matmul", "sparse_softmax_cross_entropy", "split_key", "suppress", "unique", "window_sum",
}  # fmt: skip
# NumPy broadcasts, cuts off, or does not look at arrays without elements; TensorFlow refuses these, too.
KINDER = {
    "add_n", "compress", "gather", "ifft", "in_top_k", "least_squares", "log_softmax", "random_categorical",
    "random_gamma", "random_integers", "random_poisson", "ranges", "scatter_max", "scatter_min", "scatter_update",
    "split", "sum_squares", "take", "top_k", "tridiagonal_solve",
}  # fmt: skip
STRICTER = ADJOINTS | OF_OTHERS | KINDER


def changed(a):
    """The array with one axis more, one less, or one that is longer or shorter."""
    yield a[None]
    yield a[..., None]
    if a.ndim and a.shape[0]:
        yield a[0, ...]
    if a.ndim > 1 and a.shape[-1]:
        yield a[..., 0]
    for axis, size in enumerate(a.shape):
        if size:
            yield np.concatenate([a, np.take(a, [-1], axis)], axis)
            yield np.take(a, range(size - 1), axis)
        else:
            shape = [d + (i == axis) for i, d in enumerate(a.shape)]
            yield np.full(shape, b"" if a.dtype.kind == "O" else 0, a.dtype)


def computed(prim, arrays, params):
    """What the kernel gives for the shapes; or what it says against them."""
    try:
        return kernel(prim, arrays, params)
    except Exception as error:
        try:  # numbers of rows and classes may be out of range; 0 seldom is
            return kernel(prim, [np.zeros_like(a) if a.dtype.kind == "i" else a for a in arrays], params)
        except Exception:
            return str(error)


def kernel(prim, arrays, params):
    outs = prim.entry(*[EagerTensor(a if a.ndim or a.dtype.kind == "O" else a[()]) for a in arrays], **params)
    arrays = [o.array if hasattr(o.array, "shape") else np.array(o.array, object) for o in parts(prim, outs)]
    return [(a.shape, a.dtype) for a in arrays]


def inferred(prim, arrays, params, computed):
    """The same by the shape rule; sizes that only the values decide are taken from what was computed."""
    specs = parts(prim, prim.infer([Spec(shape=a.shape, dtype=a.dtype) for a in arrays], params))
    known = lambda spec, shape: tuple(
        [have if want is None else want for want, have in zip(spec.shape, shape, strict=True)]
    )
    return [(known(spec, shape), np.dtype(spec.dtype)) for spec, (shape, _) in zip(specs, computed, strict=True)]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_what_kernels_refuse_rules_refuse(name):
    prim = REGISTRY[name]
    for sample in SAMPLES[name]:
        given = [np.asarray(a) for a in sample.args]
        for i, array in enumerate(given):
            for other in changed(array):
                arrays = [*given[:i], other, *given[i + 1 :]]
                case = f"{name} of {[a.shape for a in arrays]}, {sample.params}"
                want = computed(prim, arrays, sample.params)
                if isinstance(want, list):
                    try:
                        assert inferred(prim, arrays, sample.params, want) == want, case
                    except tf.errors.InvalidArgumentError:
                        assert name in STRICTER, case
                elif name not in BY_VALUES or not re.search(BY_VALUES[name], want):
                    with pytest.raises(tf.errors.InvalidArgumentError):
                        inferred(prim, arrays, sample.params, [])
                        pytest.fail(f"{case} passes, but the kernel says: {want}")


def test_the_lists_name_primitives_and_each_once():
    assert (STRICTER | BY_VALUES.keys()) <= SAMPLES.keys()
    assert not ADJOINTS & OF_OTHERS | OF_OTHERS & KINDER | ADJOINTS & KINDER


# ---- in a tf.function: the user's line, and both shapes

ones = tf.ones
x23, x34, v3, cube = ones([2, 3]), ones([3, 4]), ones([3]), ones([2, 3, 4])
images = ones([1, 5, 5, 3])

MISTAKES = {
    "matmul": (lambda a: a @ ones([4, 2]), [x23], r"\(2, 3\) and \(4, 2\)"),
    "matmul of batches": (lambda a: a @ ones([3, 4, 2]), [cube], r"\(2, 3, 4\) and \(3, 4, 2\)"),
    "matvec": (lambda a: tf.linalg.matvec(a, ones([4])), [x23], r"\(2, 3\) and \(4, 1\)"),
    "tensordot": (lambda a: tf.tensordot(a, ones([4, 2]), 1), [x23], r"\(2, 3\).*\(4, 2\)"),
    "einsum": (lambda a: tf.einsum("ij,jk->ik", a, ones([4, 2])), [x23], r"3.*\(4, 2\)"),
    "einsum's ranks": (lambda a: tf.einsum("ijk,k->ij", a, ones([4])), [x23], r"rank 3.*\(2, 3\)"),
    "addition": (lambda a: a + ones([4]), [x23], r"\[2,3\] vs. \[4\]"),
    "where": (lambda a: tf.where(a > 0, a, ones([4])), [x23], r"condition \[2,3\], then \[2,3\], and else \[4\]"),
    "reshape": (lambda a: tf.reshape(a, [4]), [x23], r"\(2, 3\).*\(4,\)"),
    "reshape with -1": (lambda a: tf.reshape(a, [4, -1]), [x23], r"\(2, 3\).*\(4, -1\)"),
    "broadcast_to": (lambda a: tf.broadcast_to(a, [3, 3]), [x23], r"\(2, 3\).*\(3, 3\)"),
    "transpose": (lambda a: tf.transpose(a, [0, 0]), [x23], r"perm=\(0, 0\).*\(2, 3\)"),
    "transpose of fewer axes": (lambda a: tf.transpose(a, [1, 0, 2]), [x23], r"perm=\(1, 0, 2\).*\(2, 3\)"),
    "concat": (lambda a: tf.concat([a, ones([2, 4])], 0), [x23], r"\[2,3\].*\[2,4\]"),
    "concat's ranks": (lambda a: tf.concat([a, v3], 0), [x23], r"\[2,3\].*\[3\]"),
    "concat's axis": (lambda a: tf.concat([a, a], 2), [x23], r"axis=2 .*rank 2"),
    "stack": (lambda a: tf.stack([a, v3]), [x23], r"\[2,3\].*\[3\]"),
    "split": (lambda a: tf.split(a, [1, 1], 1), [x23], r"\(1, 1\).*3"),
    "split in equal parts": (lambda a: tf.split(a, 2, 1), [x23], r"size = 3"),
    "unstack": (lambda a: tf.unstack(a, 3), [x23], r"num=3.*\(2, 3\)"),
    "squeeze": (lambda a: tf.squeeze(a, 0), [x23], r"got 2.*\(2, 3\)"),
    "expand_dims": (lambda a: tf.expand_dims(a, 5), [x23], r"index 5 .*2 dimensions"),
    "pad": (lambda a: tf.pad(a, [[1, 1]]), [x23], r"2 axes"),
    "tile": (lambda a: tf.tile(a, [2]), [x23], r"\(2, 3\).*\(2,\)"),
    "an index": (lambda a: a[5], [x23], r"index 5.*\(2, 3\)"),
    "an index of the last axis": (lambda a: a[0, 3], [x23], r"index 3.*\(2, 3\)"),
    "too many indices": (lambda a: a[0, 0, 0], [x23], r"too many.*\(2, 3\)"),
    "gather's axis": (lambda a: tf.gather(a, [0], axis=2), [x23], r"axis=2 .*rank 2"),
    "boolean_mask": (lambda a: tf.boolean_mask(a, [True, False, True]), [x23], r"\(2,\) and \(3,\)"),
    "a reduction": (lambda a: tf.reduce_sum(a, 2), [x23], r"dimension \(2 .*2 dimension"),
    "argmax": (lambda a: tf.argmax(a, 2), [x23], r"axis=2 .*rank 2"),
    "softmax": (lambda a: tf.nn.softmax(a, 2), [x23], r"axis=2 .*rank 2"),
    "cumsum": (lambda a: tf.cumsum(a, 2), [x23], r"axis=2 .*rank 2"),
    "top_k": (lambda a: tf.math.top_k(a, 4), [x23], r"needed 4.*\(2, 3\)"),
    "reverse": (lambda a: tf.reverse(a, [2]), [x23], r"axis=2 .*rank 2"),
    "conv2d": (lambda a: tf.nn.conv2d(a, ones([2, 2, 4, 1]), 1, "SAME"), [images], r"3 vs 4"),
    "conv2d of a matrix": (lambda a: tf.nn.conv2d(a, ones([2, 2, 3, 1]), 1, "SAME"), [x23], r"rank 4.*\(2, 3\)"),
    "conv2d_transpose": (
        lambda a: tf.nn.conv2d_transpose(a, ones([2, 2, 1, 4]), [1, 5, 5, 1], 1),
        [images],
        r"\(1, 5, 5, 3\).*4 channels",
    ),
    "max_pool2d": (lambda a: tf.nn.max_pool2d(a, 2, 1, "VALID"), [x23], r"rank 4.*\(2, 3\)"),
    "a large window": (lambda a: tf.nn.max_pool2d(a, 9, 1, "VALID"), [images], r"9, 9.*\(1, 5, 5, 3\)"),
    "bias_add": (lambda a: tf.nn.bias_add(a, ones([4])), [x23], r"\[4\] vs. \[2,3\]"),
    "batch normalisation": (
        lambda a: tf.nn.batch_normalization(a, ones([4]), ones([4]), None, None, 1e-3),
        [x23],
        r"\[2,3\] vs. \[4\]",
    ),
    "a cross entropy": (
        lambda a: tf.nn.softmax_cross_entropy_with_logits(ones([2, 4]), a),
        [x23],
        r"logits_size=\[2,3\] labels_size=\[2,4\]",
    ),
    "a sparse cross entropy": (
        lambda a: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([3], tf.int32), a),
        [x23],
        r"\(3,\).*\(2, 3\)",
    ),
    "a sigmoid cross entropy": (
        lambda a: tf.nn.sigmoid_cross_entropy_with_logits(ones([4]), a),
        [x23],
        r"\(2, 3\) and \(4,\)",
    ),
    "segments": (lambda a: tf.math.unsorted_segment_sum(a, [0, 1, 0], 2), [x23], r"\(2, 3\).*\(3,\)"),
    "cholesky": (tf.linalg.cholesky, [x23], r"square.*\(2, 3\)"),
    "inv": (tf.linalg.inv, [x23], r"square.*\(2, 3\)"),
    "det": (tf.linalg.det, [x23], r"square.*\(2, 3\)"),
    "eigh": (tf.linalg.eigh, [x23], r"square.*\(2, 3\)"),
    "svd of a vector": (tf.linalg.svd, [v3], r"rank >= 2.*\(3,\)"),
    "solve": (lambda a: tf.linalg.solve(a, ones([4, 1])), [ones([3, 3])], r"\(3, 3\) and \(4, 1\)"),
    "scatter": (lambda a: tf.tensor_scatter_nd_update(a, [[0]], ones([1, 4])), [x23], r"\(1, 3\).*\(1, 4\)"),
    "scatter_nd": (lambda a: tf.scatter_nd([[0]], a, [4, 3]), [x23], r"\(1, 3\).*\(2, 3\)"),
    "add_n": (lambda a: tf.add_n([a, ones([2, 4])]), [x23], r"\[2,3\] != input 1: \[2,4\]"),
    "string join": (lambda a: tf.strings.join([tf.as_string(a), tf.as_string(v3)]), [x23], r"\(2, 3\).*\(3,\)"),
    "fft": (lambda a: tf.signal.fft2d(tf.cast(a, tf.complex64)), [v3], r"at least 2.*\(3,\)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_when_a_function_is_traced(name):
    mistake, args, shapes = MISTAKES[name]
    traced = tf.function(lambda *xs: mistake(*xs), autograph=False)
    with pytest.raises(ValueError) as caught:
        traced.get_concrete_function(*args)  # which computes nothing
    text = str(caught.value)
    assert re.search(shapes, text, re.DOTALL), text
    if isinstance(caught.value, tf.errors.InvalidArgumentError):  # some are ValueErrors eagerly, too
        assert re.search(r" at test_shape_rules\.py:\d+", text), text


def test_it_is_both_errors():
    @tf.function
    def f(a):
        return a @ a

    for kind in (ValueError, tf.errors.InvalidArgumentError):
        with pytest.raises(kind, match=r"Matrix size-incompatible.*\(2, 3\) and \(2, 3\)"):
            f(x23)


# ---- sizes that are not known


def test_what_no_size_can_mend_is_a_mistake_of_the_function():
    rows = tf.TensorSpec([None, 4], tf.float32)
    wrong = tf.function(lambda x: x @ ones([3, 2]), input_signature=[rows])
    with pytest.raises(ValueError, match=r"\(None, 4\) and \(3, 2\)(.|\n)* at test_shape_rules.py"):
        wrong.get_concrete_function()

    maybe = tf.function(lambda x: x + ones([3, 4]), input_signature=[rows])
    assert maybe(ones([3, 4])).shape == maybe(ones([1, 4])).shape == (3, 4)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(.|\n)* at test_shape_rules.py(.|\n)*\(2, 4\) and \(3, 4\)"
    ) as caught:
        maybe(ones([2, 4]))
    assert not isinstance(caught.value, ValueError)  # TensorFlow finds it when it runs


def size(number, now, told):
    return Size(Expression("size", number), now, told)


def test_nothing_is_asked_of_sizes_that_are_the_same():
    told = []
    n, m = size(0, 4, told), size(1, 5, told)
    assert not differ(n, size(0, 4, told)) and not differ(None, 3)
    assert same_sizes((n, 3), (n, 3)) and spreads((1, n), (m, n)) and spreads((n,), (m, n))
    assert same_number((n, 4, m), (m, 2, n, 2)) and same_number((n, 4), (4 * n,))
    assert same_number((n, None), (3,))
    assert not told or all(answer for _, answer in told)
    assert not any(question[0] == "==" and type(question[2]) is int for question, _ in told)


def test_what_is_asked_is_remembered():
    told = []
    n = size(0, 4, told)
    assert spreads((n,), (4,)) and told == [(Expression("==", n.expression, 4), True)]
    assert not same_number((n, 4), (3, 5)) and told[-1][1] is False


def test_a_size_of_nothing_fits_any_reshape():
    told = []
    n = size(0, 0, told)
    assert same_number((n, 4), (n, 5)) and not same_number((size(1, 2, told), 4), (size(1, 2, told), 5))
