"""Public functions with example arguments, for `test_under_vmap`: what each computes in `tf.vmap` must be what it
computes row by row.

A case is a name, the kinds of its mapped arguments (see `KINDS`) and a function of them. The kinds may be preceded by
`=` for an argument that is the same for every row.
"""

import numpy as np

import tapeflow as tf

_random = np.random.default_rng(7)
_uniform = lambda low, high, *shape: _random.uniform(low, high, shape)
_matrix = lambda *shape: _random.normal(size=(*shape, 3, 3)) * 0.3 + 2 * np.eye(3)

# One value of each kind for each of three rows.
ROWS = 3
KINDS = {
    "x": _uniform(-1, 1, ROWS, 2, 3),
    "y": _uniform(-1, 1, ROWS, 2, 3),
    "p": _uniform(0.5, 2, ROWS, 2, 3),  # positive
    "q": _uniform(1.1, 3, ROWS, 2, 3),  # greater than 1
    "u": _uniform(0.1, 0.9, ROWS, 2, 3),  # between 0 and 1
    "v": _uniform(-1, 1, ROWS, 4),
    "a": _uniform(-1, 1, ROWS),  # a scalar
    "l": _random.normal(size=(ROWS, 8)),  # a longer vector
    "m": _matrix(ROWS),
    "n": _matrix(ROWS),
    "s": (lambda m: m @ m.transpose(0, 2, 1) + np.eye(3))(_matrix(ROWS)),  # symmetric, positive definite
    "z": _random.normal(size=(ROWS, 2, 3)) + 1j * _random.normal(size=(ROWS, 2, 3)),
    "w": _random.normal(size=(ROWS, 4, 4)) + 1j * _random.normal(size=(ROWS, 4, 4)),
    "f": _random.normal(size=(ROWS, 3, 2, 2)),  # for three axes
    "i": _random.integers(0, 3, (ROWS, 4)).astype(np.int32),
    "j": np.array([2, 0, 1], np.int32),  # a scalar
    "k": np.array([[2, 0, 1], [0, 1, 2], [1, 2, 0]], np.int32),  # permutations
    "o": np.array([[0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 2, 2]], np.int32),  # sorted
    "t": _random.integers(1, 9, (ROWS, 2, 3)).astype(np.int32),
    "b": _uniform(-1, 1, ROWS, 2, 3) > 0,
    "c": _uniform(-1, 1, ROWS, 2, 3) > 0,
    "d": np.array([[1, 2], [3, 4], [5, 6]], np.int32),  # seeds
    "g": _uniform(0.05, 0.95, ROWS, 6, 6, 3),  # an image
    "h": _uniform(0.05, 0.95, ROWS, 6, 6, 3),
    "I": _uniform(0.05, 0.95, ROWS, 2, 6, 6, 3),  # images
    "S": _uniform(-1, 1, ROWS, 2, 8, 3),  # sequences
    "V": _uniform(-1, 1, ROWS, 1, 4, 4, 4, 2),  # volumes
    "F": _uniform(-1, 1, ROWS, 3, 3, 3, 2),  # filters
    "D": _uniform(-1, 1, ROWS, 3, 3, 3),
    "B": np.sort(_uniform(0, 1, ROWS, 4, 2, 2), axis=2).reshape(ROWS, 4, 4),  # boxes
    "W": np.array([[b"one two", b"Three"], [b"4 5", b"six"], [b" x y", b""]], object),
    "N": np.array([[b"1.5", b"2"], [b"-3", b"4e2"], [b"0", b"7"]], object),
}

CASES = {}


def case(name, kinds, function=None, tag=""):
    if function is None:
        function = tf
        for part in name.split("."):
            function = getattr(function, part)
    CASES[name + (f" {tag}" if tag else "")] = kinds, function


def each(kinds, names, module=""):
    for name in names.split():
        case(f"{module}{name}", kinds)


# ---- element by element

each("x", "abs acos asin atan atanh cos cosh exp floor identity negative round sigmoid sign sin sinh square tan tanh")
each("x", "ones_like zeros_like rank size shape stop_gradient asinh guarantee_const")
each("q", "acosh sqrt")
each(
    "x",
    "ceil erf erfc expm1 rint log_sigmoid softplus softsign reciprocal reciprocal_no_nan is_finite is_inf is_nan",
    "math.",
)
each(
    "x",
    "bessel_i0 bessel_i0e bessel_i1 bessel_i1e zero_fraction is_non_decreasing is_strictly_increasing count_nonzero",
    "math.",
)
each("p", "log log1p lgamma digamma rsqrt", "math.")
each("u", "erfinv erfcinv ndtri", "math.")
each("z", "conj real imag angle abs exp square", "math.")
each(
    "p",
    "bessel_j0 bessel_j1 bessel_k0 bessel_k1 bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence",
    "math.special.",
)
each(
    "x y",
    "add subtract multiply divide equal not_equal less less_equal greater greater_equal maximum minimum truediv atan2",
)
each("x y", "divide_no_nan multiply_no_nan squared_difference floordiv floormod xdivy mod nextafter", "math.")
each("p q", "igamma igammac xlogy xlog1py pow", "math.")
case("math.betainc", "p q u")
case("math.zeta", "q p")
case("math.polygamma", "p", lambda p: tf.math.polygamma(2.0, tf.cast(p, tf.float32)))
case("math.polyval", "a x", lambda a, x: tf.math.polyval([a, 2 * a, x], x))
case("math.scalar_mul", "a x")
case("complex", "x y")
each("b c", "logical_and logical_or")
case("math.logical_xor", "b c")
case("logical_not", "b")
each("t t", "bitwise_and bitwise_or bitwise_xor left_shift right_shift", "bitwise.")
case("bitwise.invert", "t")
each("t t", "truncatediv truncatemod")
case("cast", "x", lambda x: tf.cast(x, tf.int32))
case("saturate_cast", "x", lambda x: tf.saturate_cast(x * 300, tf.uint8))
case("bitcast", "x", lambda x: tf.bitcast(x, tf.int64))
case("clip_by_value", "x a", lambda x, a: tf.clip_by_value(x, a - 0.3, a + 0.3))
case("clip_by_norm", "x", lambda x: tf.clip_by_norm(x, 0.5))
case("clip_by_norm", "x", lambda x: tf.clip_by_norm(x, 0.5, axes=[1]), "axes")
case("clip_by_global_norm", "x v", lambda x, v: tf.clip_by_global_norm([x, v], 0.5))
case("linalg.global_norm", "x v", lambda x, v: tf.linalg.global_norm([x, v]))
case("add_n", "x y", lambda x, y: tf.add_n([x, y, x]))
case("math.accumulate_n", "x y", lambda x, y: tf.math.accumulate_n([x, y]))
case(
    "operators",
    "x y",
    lambda x, y: [-x + y * 2 - 1 / (y + 3), x @ tf.transpose(y), x // y, x % y, x > y, (x > y) & (x < 1), x**2],
)
case("where", "b x y")
case("where", "=b x a", lambda b, x, a: tf.where(b, x, a), "scalar")
case("ensure_shape", "x", lambda x: tf.ensure_shape(x, [None, 3]))
case("debugging.check_numerics", "x", lambda x: tf.debugging.check_numerics(x, "x"))
case("realdiv", "x p")

# ---- reductions, scans, sorting

for _axis in ("", "axis=1", "axis=[0, 1], keepdims=True"):
    _options = eval(f"dict({_axis})")
    for _name in (
        "reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp math.reduce_std "
        "math.reduce_variance"
    ).split():
        case(_name, "x", lambda x, n=_name, o=_options: eval(f"tf.{n}")(x, **o), _axis)
    case("math.reduce_euclidean_norm", "x", lambda x, o=_options: tf.math.reduce_euclidean_norm(x, **o), _axis)
    each_bool = [
        case(n, "b", lambda b, n=n, o=_options: getattr(tf, n)(b, **o), _axis) for n in ("reduce_all", "reduce_any")
    ]
case("argmax", "x", lambda x: tf.argmax(x, axis=1))
case("argmin", "x", lambda x: tf.argmin(x, axis=0, output_type=tf.int32))
case("cumsum", "x", lambda x: tf.cumsum(x, axis=1, exclusive=True, reverse=True))
case("math.cumprod", "x", lambda x: tf.math.cumprod(x, axis=0))
case("math.cumulative_logsumexp", "x", lambda x: tf.math.cumulative_logsumexp(x, axis=1))
case("sort", "x", lambda x: tf.sort(x, direction="DESCENDING"))
case("argsort", "x", lambda x: tf.argsort(x, axis=0))
case("math.top_k", "x", lambda x: tf.math.top_k(x, 2))
case("math.approx_max_k", "x", lambda x: tf.math.approx_max_k(tf.cast(x, tf.float32), 2))
case("math.in_top_k", "j x", lambda j, x: tf.math.in_top_k(tf.stack([j, j]), tf.cast(x, tf.float32), 2))
case("searchsorted", "l v", lambda e, v: tf.searchsorted(tf.sort(e), v))
case("math.bincount", "i", lambda i: tf.math.bincount(i, minlength=3, maxlength=3))
case("math.bincount", "i v", lambda i, v: tf.math.bincount(i, weights=v, minlength=3, maxlength=3), "weights")
case("math.confusion_matrix", "i o", lambda i, o: tf.math.confusion_matrix(i, o, num_classes=3))
case("histogram_fixed_width", "l", lambda e: tf.histogram_fixed_width(e, [-1.0, 1.0], nbins=4))
case("histogram_fixed_width_bins", "l", lambda e: tf.histogram_fixed_width_bins(e, [-1.0, 1.0], nbins=4))
case("math.l2_normalize", "x", lambda x: tf.math.l2_normalize(x, axis=1))
case("nn.moments", "x", lambda x: tf.nn.moments(x, axes=[0]))
case("nn.weighted_moments", "x p", lambda x, p: tf.nn.weighted_moments(x, [0], p))
case("nn.sufficient_statistics", "x", lambda x: tf.nn.sufficient_statistics(x, [0])[:3])
case("math.lbeta", "p")
case("math.invert_permutation", "k")
for _name in "max mean min prod sum".split():
    case(f"math.segment_{_name}", "v", lambda v, n=_name: getattr(tf.math, f"segment_{n}")(v, [0, 0, 1, 2]))
    case(f"math.segment_{_name}", "v o", lambda v, o, n=_name: getattr(tf.math, f"segment_{n}")(v, o), "mapped ids")
    case(
        f"math.unsorted_segment_{_name}",
        "v i",
        lambda v, i, n=_name: getattr(tf.math, f"unsorted_segment_{n}")(v, i, 3),
    )
case("math.unsorted_segment_sqrt_n", "v i", lambda v, i: tf.math.unsorted_segment_sqrt_n(v, i, 3))

# ---- shapes and places

case("reshape", "x", lambda x: tf.reshape(x, [3, -1]))
case("transpose", "x")
case("expand_dims", "x", lambda x: tf.expand_dims(x, 1))
case("squeeze", "x", lambda x: tf.squeeze(tf.expand_dims(x, 1)))
case("concat", "x y", lambda x, y: tf.concat([x, y], 1))
case("stack", "x y", lambda x, y: tf.stack([x, y], 1))
case("stack", "a", lambda a: tf.stack([a, 2.0, a * a]), "numbers")
case("parallel_stack", "x y", lambda x, y: tf.parallel_stack([x, y]))
case("unstack", "x", lambda x: tf.unstack(x, axis=1))
case("split", "x", lambda x: tf.split(x, [1, 2], axis=1))
case("tile", "x", lambda x: tf.tile(x, [2, 1]))
case("repeat", "x", lambda x: tf.repeat(x, [1, 2], axis=0))
case("pad", "x", lambda x: tf.pad(x, [[1, 0], [0, 2]], constant_values=1))
case("pad", "x", lambda x: tf.pad(x, [[1, 0], [1, 1]], mode="REFLECT"), "reflect")
case("roll", "x", lambda x: tf.roll(x, 1, axis=1))
case("reverse", "x", lambda x: tf.reverse(x, [0, 1]))
case("reverse_sequence", "x", lambda x: tf.reverse_sequence(x, [2, 3], seq_axis=1))
case("broadcast_to", "v", lambda v: tf.broadcast_to(v, [2, 4]))
case("slice", "x", lambda x: tf.slice(x, [0, 1], [-1, 2]))
case("slice", "x j", lambda x, j: tf.slice(x, [0, j], [2, 1]), "mapped begin")
case("strided_slice", "x", lambda x: tf.strided_slice(x, [0, 2], [2, 0], [1, -1]))
case("getitem", "x j", lambda x, j: [x[0], x[:, 1:], x[..., None], x[-1, ::-1], x[:, j], x[0, j], x[[1, 0], j]])
case("gather", "x i", lambda x, i: tf.gather(x, i, axis=1))
case("gather", "=x j", lambda x, j: tf.gather(tf.transpose(x), j), "mapped index only")
case("gather", "x", lambda x: tf.gather(x, [1, 0, 1]), "fixed index")
case("gather", "x", lambda x: tf.gather(x, [[1, 0], [2, 2]], batch_dims=1), "batch_dims")
case(
    "gather", "x i", lambda x, i: tf.gather(x, tf.reshape(i, [2, 2]), batch_dims=1, axis=1), "batch_dims, mapped index"
)
case("gather_nd", "x j", lambda x, j: tf.gather_nd(x, [[0, j], [1, 2]]))
case("gather_nd", "x j", lambda x, j: tf.gather_nd(x, [[0, j + 1], [1, 2]], bad_indices_policy="IGNORE"), "ignore")
case("boolean_mask", "x", lambda x: tf.boolean_mask(x, [True, False]))
case("boolean_mask", "k v", lambda k, v: tf.boolean_mask(v[:3], k > 0), "mapped mask")
case("where", "k", lambda k: tf.where(k > 0), "places")
case("scatter_nd", "k v", lambda k, v: tf.scatter_nd(k[:, None], v[:3], [5]))
for _name in "add sub update max min".split():
    case(
        f"tensor_scatter_nd_{_name}",
        "v k a",
        lambda v, k, a, n=_name: getattr(tf, f"tensor_scatter_nd_{n}")(v, k[:2, None], [a, 3 * a]),
    )
case("tensor_scatter_nd_update", "=v j a", lambda v, j, a: tf.tensor_scatter_nd_update(v, [[j]], [a]), "fixed tensor")
case("one_hot", "i", lambda i: tf.one_hot(i, 4))
case("one_hot", "i a", lambda i, a: tf.one_hot(i, 4, on_value=a, off_value=-a), "mapped values")
case("sequence_mask", "i", lambda i: tf.sequence_mask(i, 4))
case("linspace", "a", lambda a: tf.linspace(a, 2 * a + 1, 5))
case("meshgrid", "v k", lambda v, k: tf.meshgrid(v, k))
case("eye", "a", lambda a: a * tf.eye(3, dtype=tf.float64))
case("fill", "a", lambda a: tf.fill([2, 2], a))
case("shape_n", "x v", lambda x, v: tf.shape_n([x, v]))
case("identity_n", "x v", lambda x, v: tf.identity_n([x, v]))
case("unravel_index", "i", lambda i: tf.unravel_index(i, [2, 2]))
case("dynamic_stitch", "v", lambda v: tf.dynamic_stitch([[0, 2], [1, 3]], [v[:2], v[2:]]))
case("dynamic_partition", "v", lambda v: tf.dynamic_partition(v, [0, 1, 1, 0], 2))
case("space_to_batch_nd", "I", lambda x: tf.space_to_batch_nd(x, [2, 3], [[0, 0], [0, 0]]))
case("batch_to_space", "I", lambda x: tf.batch_to_space(x, [2, 1], [[0, 1], [0, 0]]))
case("nn.space_to_depth", "I", lambda x: tf.nn.space_to_depth(x, 2))
case("nn.depth_to_space", "I", lambda x: tf.nn.depth_to_space(tf.concat([x] * 4, -1), 2))
case("unique", "o", lambda o: tf.unique(o))
case("unique_with_counts", "o", lambda o: tf.unique_with_counts(o))
case("map_fn", "x", lambda x: tf.map_fn(lambda r: tf.sin(r) * 2, x))
case("scan", "x", lambda x: tf.scan(lambda s, r: s * 0.5 + r, x))
case("foldl", "x", lambda x: tf.foldl(lambda s, r: tf.tanh(s) + r, x))
case("foldr", "x", lambda x: tf.foldr(lambda s, r: tf.tanh(s) + r, x))
case("vectorized_map", "x v", lambda x, v: tf.vectorized_map(lambda r: tf.sin(r) * v[0], x))
case("TensorArray", "x", lambda x: tf.TensorArray(tf.float64, 2).unstack(x).write(0, x[1] * 2).stack())
case("nest.map_structure", "x y", lambda x, y: tf.nest.map_structure(tf.add, {"a": x}, {"a": y}))

# ---- linear algebra

case("matmul", "x y", lambda x, y: tf.matmul(x, y, transpose_b=True))
case("matmul", "=m x", lambda m, x: x @ m, "fixed matrix")
case("linalg.matvec", "m x", lambda m, x: tf.linalg.matvec(m, x[0]))
case("tensordot", "x y", lambda x, y: tf.tensordot(x, y, [[1], [1]]))
case("einsum", "x m", lambda x, m: tf.einsum("ij,jk->ki", x, m))
case("einsum", "x =m", lambda x, m: tf.einsum("ij,jk->i", x, m), "fixed matrix")
case("norm", "x")
case("linalg.norm", "x", lambda x: tf.linalg.norm(x, ord=1, axis=1))
case("linalg.normalize", "x", lambda x: tf.linalg.normalize(x, axis=1))
case("linalg.cross", "x y")
each("x", "matrix_transpose diag tensor_diag", "linalg.")
each("m", "diag_part trace det slogdet inv adjoint expm lu pinv matrix_rank tensor_diag_part", "linalg.")
each("s", "cholesky logdet eigvalsh sqrtm", "linalg.")
case("linalg.logm", "s", lambda s: tf.linalg.logm(tf.cast(s, tf.complex128)))
case("linalg.eigh", "s", lambda s: tf.linalg.eigh(s)[0])
case("linalg.eigvals", "s", lambda s: tf.sort(tf.math.real(tf.linalg.eigvals(s))))
case("linalg.svd", "m", lambda m: tf.linalg.svd(m, compute_uv=False))
case("linalg.qr", "m", lambda m: tf.abs(tf.linalg.qr(m)[1]))
case("linalg.band_part", "m", lambda m: tf.linalg.band_part(m, 0, 1))
case("linalg.set_diag", "m v", lambda m, v: tf.linalg.set_diag(m, v[:3]))
case("linalg.solve", "m n")
case("linalg.solve", "=m n", lambda m, n: tf.linalg.solve(m, n), "fixed matrix")
case("linalg.triangular_solve", "m n")
case("linalg.cholesky_solve", "s n", lambda s, n: tf.linalg.cholesky_solve(tf.linalg.cholesky(s), n))
case("linalg.lstsq", "m n")
case("linalg.lu_solve", "m n", lambda m, n: tf.linalg.lu_solve(*tf.linalg.lu(m), n))
case("linalg.lu_reconstruct", "m", lambda m: tf.linalg.lu_reconstruct(*tf.linalg.lu(m)))
case("linalg.lu_matrix_inverse", "m", lambda m: tf.linalg.lu_matrix_inverse(*tf.linalg.lu(m)))
case("linalg.tridiagonal_solve", "m n", lambda m, n: tf.linalg.tridiagonal_solve(m + 2, n))
case("linalg.tridiagonal_matmul", "m n", lambda m, n: tf.linalg.tridiagonal_matmul(m, n))
case("linalg.banded_triangular_solve", "m n", lambda m, n: tf.linalg.banded_triangular_solve(m[:2] + 2, n))
case("linalg.eigh_tridiagonal", "v", lambda v: tf.linalg.eigh_tridiagonal(v, v[1:]))

# ---- neural networks

each("x", "relu relu6 elu selu gelu silu leaky_relu crelu softmax log_softmax l2_loss", "nn.")
case("nn.bias_add", "x v", lambda x, v: tf.nn.bias_add(x, v[:3]))
case("nn.dropout", "x d", lambda x, d: tf.nn.experimental.stateless_dropout(x, 0.5, seed=d))
case("nn.sigmoid_cross_entropy_with_logits", "u x", lambda u, x: tf.nn.sigmoid_cross_entropy_with_logits(u, x))
case(
    "nn.weighted_cross_entropy_with_logits", "u x a", lambda u, x, a: tf.nn.weighted_cross_entropy_with_logits(u, x, a)
)
case("nn.softmax_cross_entropy_with_logits", "u x", lambda u, x: tf.nn.softmax_cross_entropy_with_logits(u, x))
case(
    "nn.sparse_softmax_cross_entropy_with_logits",
    "i x",
    lambda i, x: tf.nn.sparse_softmax_cross_entropy_with_logits(i[:2], x),
)
case("nn.log_poisson_loss", "p x", lambda p, x: tf.nn.log_poisson_loss(p, x))
case("nn.compute_average_loss", "v", lambda v: tf.nn.compute_average_loss(v, global_batch_size=4))
case("nn.batch_normalization", "x v", lambda x, v: tf.nn.batch_normalization(x, v[0], v[1] ** 2, v[2], v[3], 1e-3))
case("nn.local_response_normalization", "I", lambda x: tf.nn.local_response_normalization(x, depth_radius=1))
case("nn.embedding_lookup", "=m i", lambda m, i: tf.nn.embedding_lookup(m, i))
case("nn.embedding_lookup", "m i", lambda m, i: tf.nn.embedding_lookup(m, i), "mapped table")
for _padding in ("SAME", "VALID"):
    case("nn.conv2d", "I F", lambda x, f, p=_padding: tf.nn.conv2d(x, f, 1, p), _padding)
    case("nn.max_pool2d", "I", lambda x, p=_padding: tf.nn.max_pool2d(x, 2, 2, p), _padding)
    case("nn.avg_pool2d", "I", lambda x, p=_padding: tf.nn.avg_pool2d(x, 3, 2, p), _padding)
case("nn.conv2d", "I =F", lambda x, f: tf.nn.conv2d(x, f, 2, "SAME"), "fixed filters")
case("nn.conv2d", "=I F", lambda x, f: tf.nn.conv2d(x, f, 2, "SAME"), "fixed images")
case("nn.conv2d_transpose", "I F", lambda x, f: tf.nn.conv2d_transpose(x[..., :2], f, [2, 12, 12, 3], 2))
case("nn.conv1d", "S F", lambda x, f: tf.nn.conv1d(x, f[0], 1, "SAME"))
case("nn.conv1d_transpose", "S F", lambda x, f: tf.nn.conv1d_transpose(x[..., :2], f[0], [2, 16, 3], 2))
case("nn.conv3d", "V", lambda x: tf.nn.conv3d(x, x[0, :2, :2, :2, :, None], [1] * 5, "VALID"))
case("nn.convolution", "S F", lambda x, f: tf.nn.convolution(x, f[0], padding="VALID"))
case("nn.atrous_conv2d", "I F", lambda x, f: tf.nn.atrous_conv2d(x, f, 2, "SAME"))
case("nn.depthwise_conv2d", "I F", lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME"))
case(
    "nn.separable_conv2d",
    "I F",
    lambda x, f: tf.nn.separable_conv2d(x, f, tf.reshape(f[:2, :1], [1, 1, 6, 2]), [1] * 4, "SAME"),
)
case("nn.dilation2d", "I D", lambda x, d: tf.nn.dilation2d(x, d, [1] * 4, "SAME", "NHWC", [1] * 4))
case("nn.erosion2d", "I D", lambda x, d: tf.nn.erosion2d(x, d, [1] * 4, "SAME", "NHWC", [1] * 4))
case("nn.max_pool1d", "S", lambda x: tf.nn.max_pool1d(x, 2, 2, "VALID"))
case("nn.avg_pool1d", "S", lambda x: tf.nn.avg_pool1d(x, 2, 2, "VALID"))
case("nn.max_pool3d", "V", lambda x: tf.nn.max_pool3d(x, 2, 2, "VALID"))
case("nn.avg_pool3d", "V", lambda x: tf.nn.avg_pool3d(x, 2, 2, "VALID"))
case("nn.max_pool_with_argmax", "I", lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "VALID"))
case("nn.pool", "S", lambda x: tf.nn.pool(x, [2], "AVG", padding="SAME"))
case(
    "nn.ctc_loss",
    "S o",
    lambda x, o: tf.nn.ctc_loss(o[None, 2:], tf.cast(x[:1], tf.float32), [2], [8], False, blank_index=0),
)
case("nn.isotonic_regression", "x", lambda x: tf.nn.isotonic_regression(x)[0])
case(
    "quantization.fake_quant_with_min_max_args",
    "x",
    lambda x: tf.quantization.fake_quant_with_min_max_args(tf.cast(x, tf.float32)),
)

# ---- signals and images

each("z", "fft ifft fftshift ifftshift", "signal.")
each("w", "fft2d ifft2d", "signal.")
each("x", "rfft dct idct", "signal.")
case("signal.rfft2d", "x")
case("signal.irfft", "z", lambda z: tf.signal.irfft(z, [4]))
case("signal.irfft2d", "w", lambda w: tf.signal.irfft2d(w[:, :3]))
case("signal.fft3d", "f", lambda f: tf.signal.fft3d(tf.cast(f, tf.complex128)))
case("signal.rfft3d", "f")
case("signal.frame", "l", lambda e: tf.signal.frame(e, 4, 2))
case("signal.overlap_and_add", "x", lambda x: tf.signal.overlap_and_add(x, 2))
case("signal.stft", "l", lambda e: tf.signal.stft(e, 4, 2))
case("signal.inverse_stft", "l", lambda e: tf.signal.inverse_stft(tf.signal.stft(e, 4, 2), 4, 2))
case("signal.mdct", "l", lambda e: tf.signal.mdct(e, 4))
each(
    "g",
    "flip_left_right flip_up_down rot90 transpose rgb_to_grayscale rgb_to_hsv hsv_to_rgb rgb_to_yiq rgb_to_yuv",
    "image.",
)
each("g", "yiq_to_rgb yuv_to_rgb per_image_standardization total_variation", "image.")
case("image.grayscale_to_rgb", "g", lambda g: tf.image.grayscale_to_rgb(g[..., :1]))
case("image.adjust_brightness", "g a", lambda g, a: tf.image.adjust_brightness(g, a))
case("image.adjust_contrast", "g", lambda g: tf.image.adjust_contrast(g, 1.5))
case("image.adjust_gamma", "g", lambda g: tf.image.adjust_gamma(g, 1.5))
case("image.adjust_hue", "g", lambda g: tf.image.adjust_hue(tf.cast(g, tf.float32), 0.1))
case("image.adjust_saturation", "g", lambda g: tf.image.adjust_saturation(tf.cast(g, tf.float32), 1.2))
case("image.convert_image_dtype", "g", lambda g: tf.image.convert_image_dtype(g, tf.uint8))
case("image.central_crop", "g", lambda g: tf.image.central_crop(g, 0.5))
case("image.crop_to_bounding_box", "g", lambda g: tf.image.crop_to_bounding_box(g, 1, 2, 3, 2))
case("image.pad_to_bounding_box", "g", lambda g: tf.image.pad_to_bounding_box(g, 1, 2, 8, 9))
case("image.resize_with_crop_or_pad", "g", lambda g: tf.image.resize_with_crop_or_pad(g, 8, 4))
case("image.resize_with_pad", "g", lambda g: tf.image.resize_with_pad(g, 8, 4))
for _method in ("bilinear", "nearest", "bicubic", "area"):
    case("image.resize", "g", lambda g, m=_method: tf.image.resize(g, [4, 9], method=m), _method)
case("image.image_gradients", "I", lambda x: tf.image.image_gradients(x))
case("image.sobel_edges", "I", lambda x: tf.image.sobel_edges(x))
case("image.psnr", "g h", lambda g, h: tf.image.psnr(g, h, 1.0))
case(
    "image.ssim", "g h", lambda g, h: tf.image.ssim(tf.cast(g, tf.float32), tf.cast(h, tf.float32), 1.0, filter_size=3)
)
case("image.extract_patches", "I", lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1] * 4, "VALID"))
case(
    "image.crop_and_resize",
    "I B",
    lambda x, b: tf.image.crop_and_resize(tf.cast(x, tf.float32), tf.cast(b, tf.float32), [0, 1, 0, 1], [3, 3]),
)
case(
    "image.non_max_suppression_overlaps",
    "B v",
    lambda b, v: tf.image.non_max_suppression_padded(
        tf.cast(b, tf.float32), tf.cast(v, tf.float32), 2, pad_to_max_output_size=True
    ),
)
case("image.stateless_random_crop", "g d", lambda g, d: tf.image.stateless_random_crop(g, [3, 3, 3], d))
case("image.stateless_random_flip_left_right", "g d", lambda g, d: tf.image.stateless_random_flip_left_right(g, d))
case("image.stateless_random_brightness", "g d", lambda g, d: tf.image.stateless_random_brightness(g, 0.2, d))
case("image.stateless_random_contrast", "g d", lambda g, d: tf.image.stateless_random_contrast(g, 0.2, 0.8, d))

# ---- random numbers by seed

for _name in "normal truncated_normal uniform".split():
    case(f"random.stateless_{_name}", "d", lambda d, n=_name: getattr(tf.random, f"stateless_{n}")([4], d))
case(
    "random.stateless_normal",
    "d a",
    lambda d, a: tf.random.stateless_normal([4], d, a, 2.0 + a, tf.float64),
    "mapped mean",
)
case("random.stateless_uniform", "d", lambda d: tf.random.stateless_uniform([4], d, 0, 10, tf.int32), "integers")
case("random.stateless_gamma", "d p", lambda d, p: tf.random.stateless_gamma([2, 3], d, p, dtype=tf.float64))
case("random.stateless_poisson", "d p", lambda d, p: tf.random.stateless_poisson([2, 3], d, p))
case(
    "random.stateless_binomial",
    "d u",
    lambda d, u: tf.random.stateless_binomial([2, 3], d, 8.0, tf.cast(u, tf.float32)),
)
case("random.stateless_categorical", "d x", lambda d, x: tf.random.stateless_categorical(x, 5, d))
case(
    "random.stateless_parameterized_truncated_normal",
    "d a",
    lambda d, a: tf.random.stateless_parameterized_truncated_normal([4], d, a, 1.0 + a * a, a - 1.0, a + 1.0),
)
case("random.split", "d", lambda d: tf.random.split(d, 3))
case("random.fold_in", "d", lambda d: tf.random.fold_in(d, 5))
case("random.experimental.stateless_shuffle", "d v", lambda d, v: tf.random.experimental.stateless_shuffle(v, d))
case("random.experimental.index_shuffle", "j d", lambda j, d: tf.random.experimental.index_shuffle(j, d, 5))

# ---- strings

each("W", "lower upper strip length", "strings.")
case("strings.join", "W", lambda w: tf.strings.join([w, w], "-"))
case("strings.reduce_join", "W", lambda w: tf.strings.reduce_join(w, separator=","))
case("strings.substr", "W", lambda w: tf.strings.substr(w + "abc", 1, 2))
case("strings.regex_replace", "W", lambda w: tf.strings.regex_replace(w, "[a-z]", "_"))
case("strings.regex_full_match", "W", lambda w: tf.strings.regex_full_match(w, "[a-z]*"))
case("strings.to_number", "N")
case("as_string", "t")
