"""Disagreements that are understood and left: what they are, and why."""

from . import explained_tensorflow as tensorflow
from .explanation import Explanation

_DERIVATIVES = "gradient|second gradient|forward"

TABLE = [
    Explanation(
        "A quotient that is whole by chance: the remainder jumps there.",
        names="(math.|experimental.numpy.)(mod|remainder|floormod|fmod)|truncatemod",
        kinds="(second )?gradient",
        how="value",
    ),
    Explanation(
        "The gradient of a full QR with more rows than columns is refused, as in TensorFlow.",
        names="linalg.qr",
        kinds="gradient",
        how="error",
        outcome="full_matrices",
    ),
    Explanation(
        "A number outside of an integer dtype's range has no right value there: NumPy wraps around, XLA stops at the "
        "end.",
        names="cast|saturate_cast|image.convert_image_dtype|experimental.numpy.astype",
        kinds="xla",
        how="value",
    ),
    Explanation(
        "Infinities in sums of products: which become NaN is up to the order of the sums.",
        names="(nn|signal|linalg|image).*",
        kinds="xla",
        how="value",
        outcome="'odd",
    ),
    Explanation(
        "XLA's special functions: NaN at poles and far out, rounding relative to 1 near zeros, a quotient of huge "
        "numbers rounded before its floor.",
        names="math.(zeta|polygamma|lgamma|digamma|floordiv|floormod)",
        kinds="xla",
        how="value",
    ),
    Explanation(
        "Bessel functions at infinity are NaN, as in TensorFlow (an overflow times zero); XLA has their limits.",
        names="math.(special.)?bessel_[ijy][01]",
        kinds="xla",
        how="value",
        outcome="'odd",
    ),
    Explanation(
        "The columns of full matrices that span what is left are determined up to a rotation.",
        names="linalg.(svd|qr)",
        kinds="(second )?gradient",
        how="value",
        outcome="full_matrices=True",
    ),
    Explanation(
        "A function does not compute what its result does not need, here a value that eagerly is an error: the "
        "gradient needs shapes alone.",
        kinds="gradient in a function",
        how="error",
        outcome=r"expected InvalidArgumentError(?s:.*)got (?!\w+Error)",
    ),
    Explanation(
        "The places of a scalar's non-zero elements have no rows to stack.",
        names="experimental.numpy.(nonzero|argwhere|where|flatnonzero)",
        kinds="map",
        how="error",
    ),
    Explanation(
        "Random numbers are drawn as float32, and agree to float32's rounding.",
        names="image.stateless_random.*",
        kinds="xla",
        how="value",
        outcome="float64",
    ),
    Explanation(
        "Pictures of large integers are computed in float32, whose rounding is more than 1 there.",
        names="image.(stateless_random|random|adjust).*",
        kinds="xla",
        how="value",
        outcome="u?int(32|64)",
    ),
    Explanation(
        "Eigenvectors are determined up to a sign or a phase, which each LAPACK chooses by the last digits.",
        names="linalg.(eig|eigh|eigh_tridiagonal)",
        kinds="xla",
        how="value",
    ),
    Explanation(
        "A sum of products that overflow: infinity or NaN, by the order in which they are added.",
        names="linalg.(matmul|matvec|tensordot|einsum)|matmul|tensordot|einsum",
        kinds="map",
        how="value",
        outcome="'(special|odd|big)'(?s:.*)nan",
    ),
    Explanation(
        "Quotients and products of complex infinities: which parts become NaN is up to the engine.",
        kinds="xla",
        how="value",
        outcome="(?s)complex.*'odd",
    ),
    Explanation(
        "tf.linalg.lu has no gradient yet.",
        names="linalg.lu",
        kinds="gradient",
        how="error",
        outcome="no entry for: lu",
    ),
    Explanation(
        "The gradient is that for labels that add up to 1, softmax minus labels, as in TensorFlow.",
        names="nn.softmax_cross_entropy_with_logits",
        kinds="gradient|second gradient",
        how="value",
    ),
    Explanation(
        "Of several values for one place the last one stays, and the slope goes to each, as in TensorFlow.",
        names="dynamic_stitch|tensor_scatter_nd_update",
        kinds=_DERIVATIVES,
        how="value",
    ),
    Explanation(
        "The function cuts the path on purpose, as TensorFlow's does.",
        names="stop_gradient|bitcast|nn.ctc_greedy_decoder|nn.ctc_beam_search_decoder",
        kinds=_DERIVATIVES,
        how="value",
    ),
    Explanation(
        "The gradient of a quantization is that of a straight line through it, as in TensorFlow.",
        names="quantization.*",
        kinds=_DERIVATIVES,
        how="value",
    ),
    Explanation(
        "Second derivatives by the shape parameters of the incomplete gamma and beta functions are not there; "
        "TensorFlow has none either.",
        names="math.(igamma|igammac|betainc)",
        kinds="second gradient",
        how="error",
        outcome="gradient registry has no entry",
    ),
    Explanation(
        "Complex eigenvectors and singular vectors are determined up to a phase, which LAPACK chooses: their "
        "differences are not their derivatives.",
        names="linalg.(eigh|svd)",
        kinds="(second )?gradient",
        how="value",
        outcome="complex",
    ),
    Explanation(
        "The same, for matrices that are not symmetric: their eigenvectors are complex.",
        names="linalg.eig",
        kinds="(second )?gradient",
        how="value",
    ),
    Explanation(
        "Where a matrix has a NaN, the NumPy engine makes all of its decomposition NaN; what XLA's LAPACK leaves is "
        "of no use either.",
        names="linalg.(svd|eigh|eig|qr|pinv|lu)",
        kinds="xla",
        how="value",
        outcome="odd",
    ),
    Explanation(
        "The gradient of lstsq(fast=False) is refused, as in TensorFlow.",
        names="linalg.lstsq",
        kinds="gradient",
        how="error",
        outcome="fast=False",
    ),
    Explanation(
        "XLA does not compute with strings.",
        kinds="xla",
        how="error",
        outcome="XLA cannot compile .* (it works on strings|is a text)",
    ),
    Explanation(
        "A compiled program does not check values: what is an error eagerly gives numbers there, as in TensorFlow.",
        kinds="xla",
        how="error",
        outcome=r"expected InvalidArgumentError(?s:.*)got (?!\w+Error)",
    ),
    Explanation(
        "A mapped function returns tensors; ragged and sparse results of maps come with the ragged tensors' own "
        "issue.",
        kinds="map",
        how="error",
        outcome="A mapped function must return tensors",
    ),
]

TABLE += tensorflow.TABLE


def reason(disagreement):
    """The first explanation that holds, or None."""
    return next((e for e in TABLE if e.holds(disagreement)), None)
