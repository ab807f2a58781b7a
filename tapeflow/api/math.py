"""`tf.math`: element by element, reductions, scans, segments."""

from . import special
from .activations import log_sigmoid, log_softmax, softmax, softplus, softsign
from .arithmetic import (
    accumulate_n,
    add,
    add_n,
    atan2,
    maximum,
    minimum,
    multiply,
    multiply_no_nan,
    negative,
    nextafter,
    scalar_mul,
    squared_difference,
    subtract,
    xdivy,
    xlog1py,
    xlogy,
)
from .comparison import (
    equal,
    greater,
    greater_equal,
    is_finite,
    is_inf,
    is_nan,
    is_non_decreasing,
    is_strictly_increasing,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
)
from .complex_numbers import angle, conj, imag, real
from .counting import bincount, confusion_matrix
from .division import divide, divide_no_nan, floordiv, floormod, mod, reciprocal, reciprocal_no_nan, truediv
from .elementwise import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    exp,
    expm1,
    floor,
    log,
    log1p,
    rint,
    round,
    sigmoid,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)
from .powers import polyval, pow, rsqrt, sqrt, square
from .reductions import (
    count_nonzero,
    l2_normalize,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
    zero_fraction,
)
from .scans import cumprod, cumsum, cumulative_logsumexp
from .segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from .sobol import sobol_sample
from .sorting import approx_max_k, approx_min_k, argmax, argmin, in_top_k, invert_permutation, top_k
from .special import bessel_i0, bessel_i0e, bessel_i1, bessel_i1e
from .special_functions import (
    betainc,
    digamma,
    erf,
    erfc,
    erfcinv,
    erfinv,
    igamma,
    igammac,
    lbeta,
    lgamma,
    ndtri,
    polygamma,
    zeta,
)
