"""Where TensorFlow's stored answers differ, and why that stays."""

from functools import partial

from .explanation import Explanation

_differs = partial(Explanation, kinds="TensorFlow")
_EXTREME = "'(special|odd|odd spd|big)'"

TABLE = [
    _differs(
        "The gradient of quantize_and_dequantize is that of its second version: none outside of the range.",
        names="quantization.quantize_and_dequantize",
        how="gradient's value",
    ),
    _differs(
        "Half-way between two levels: TensorFlow multiplies by a rounded inverse.",
        names="quantization.fake_quant.*",
        how="value",
    ),
    _differs(
        "LAPACK chooses complex pivots by |re| + |im|, Eigen by the absolute value.",
        names="linalg.lu",
        how="value",
        outcome="complex",
    ),
    _differs(
        "A singular system is refused; a nearly singular one loses twice the digits by the normal equations.",
        names="linalg.lstsq",
    ),
    _differs("A pole: infinite here, NaN in TensorFlow.", names="math.zeta", how="value"),
    _differs("A ragged constant of nothing needs its rank written out.", names="ragged.constant", how="error"),
    _differs(
        "tf.experimental.numpy is NumPy's: its dtypes, its checks and errors, its results for empty arrays.",
        names="experimental.numpy.*",
    ),
    _differs(
        "tapeflow computes what TensorFlow refuses: it has no kernel for the dtype, or for no elements.",
        how="error",
        outcome="expected {'error'",
    ),
    _differs(
        "tapeflow has the gradient, or has it for this dtype and for no elements too; TensorFlow raises.",
        how="gradient's error",
        outcome=_EXTREME + "|" + r"expected {'y': .*'g': {'error'",
    ),
    _differs(
        "Infinities, NaN and denormals in sums and products: which of them comes out is up to the order of the "
        "arithmetic. TensorFlow also skips NaN in pooling and sorting, and takes denormals for zero.",
        how="(gradient's )?value",
        outcome=_EXTREME,
    ),
    _differs(
        "tapeflow refuses a NaN in a matrix, or a complex number where order is asked for, in words.",
        how="error",
        outcome=_EXTREME + "|complex",
    ),
    _differs(
        "TensorFlow's complex gradients of these are not those of differences (docs/differences.md).",
        how="gradient's value",
        outcome="complex",
    ),
    _differs(
        "Eigenvectors and singular vectors are determined up to sign or phase, and general eigenvalues have no order.",
        names="linalg.(eig|eigh|eigvals|svd|eigh_tridiagonal|qr)",
    ),
    _differs(
        "TensorFlow drops terms, or gives NaN or 0 where the slope is known (docs/differences.md).",
        how="gradient's (value|shape)",
        names=(
            "linalg.(norm|global_norm|eigh_tridiagonal|sqrtm|det|slogdet)|clip_by_(global_)?norm"
            "|math.(cumprod|reduce_std|bessel_i1|betainc|zeta|polygamma|igammac?)"
            "|image.(crop_and_resize|draw_bounding_boxes|hsv_to_rgb|rgb_to_hsv|ssim_multiscale)"
            "|nn.(isotonic_regression|weighted_cross_entropy_with_logits)|signal.irfft.*"
        ),
    ),
    _differs(
        "The slope of what is NaN is NaN here.",
        how="gradient's value",
        names="math.(log|log1p|xlogy|xlog1py|sqrt|rsqrt)",
    ),
    _differs(
        "A convolution of no images: TensorFlow gives the shape of its input, or leftover memory for the gradient.",
        names="nn..*conv.*",
        how="(gradient's )?(shape|value)",
        outcome=r"\(0, |dilations",
    ),
    _differs("TensorFlow overlooks `dtype`.", names="histogram_fixed_width_bins", how="dtype"),
    _differs("Row splits are int64 here; ragged tensors have an issue of their own.", names="ragged.*", how="dtype"),
    _differs("As TensorFlow's in kind, by another name or class of the same error.", how="type of error"),
]
