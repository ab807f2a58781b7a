"""Which functions of `tf` are of one number or of two, or assert something of two: `KINDS`, for
`tf.experimental.dispatch_for_unary_elementwise_apis` and its kin."""

from collections.abc import Callable
from typing import Any

from tapeflow import io
from tapeflow.api import bitwise, image, math, nn, strings
from tapeflow.api.arrays import building, casting, clipping
from tapeflow.api.assertions import values as assertions

_UNARY = {
    building: "zeros_like ones_like",
    casting: "cast saturate_cast",
    clipping: "clip_by_value",
    assertions: "check_numerics",
    bitwise: "invert",
    math: """abs acos acosh angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj cos cosh
        digamma erf erfc erfcinv erfinv exp expm1 floor imag is_finite is_inf is_nan lgamma log log1p log_sigmoid
        logical_not ndtri negative nextafter real reciprocal reciprocal_no_nan rint round rsqrt sigmoid sign sin sinh
        softplus sqrt square tan tanh""",
    math.special: """bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint
        fresnel_cos fresnel_sin spence""",
    nn: "elu gelu leaky_relu log_softmax relu relu6 selu sigmoid silu softplus softsign swish tanh",
    strings: """as_string length lower regex_full_match regex_replace strip substr to_hash_bucket to_hash_bucket_fast
        to_hash_bucket_strong to_number unicode_transcode upper""",
    image: """adjust_brightness adjust_gamma convert_image_dtype random_brightness stateless_random_brightness""",
    io: "decode_base64 decode_compressed encode_base64",
}

_BINARY = {
    bitwise: "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
    math: """add atan2 divide divide_no_nan equal floordiv floormod greater greater_equal less less_equal logical_and
        logical_or logical_xor maximum minimum multiply multiply_no_nan not_equal pow scalar_mul squared_difference
        subtract truediv xdivy xlog1py xlogy zeta""",
    nn: "sigmoid_cross_entropy_with_logits",
}

_ASSERTIONS = {
    assertions: """assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near
        assert_none_equal"""
}

KINDS: dict[Callable[..., Any], str] = {
    getattr(module, name): kind
    for kind, table in (("unary", _UNARY), ("binary", _BINARY), ("assert", _ASSERTIONS))
    for module, names in table.items()
    for name in names.split()
}
