"""Primitives that ONNX has no operators for, with the reason, which completes "cannot be exported: NAME, at LINE, …".

A test holds that each primitive has a rule, a composition, or a line here.
"""

_COMPLEX = "is about complex numbers, which ONNX has no operators for: keep the real and imaginary parts in tensors"
_DRAWS = "draws random numbers, which runtimes draw differently: make them an argument of the function"
_GRADIENT = "is made for gradients, which are taken here: export a function that only computes (training=False)"
_WORKERS = "works across replicas: export the function of one of them"
_MATRICES = (
    "decomposes or solves matrices, and ONNX has only products, determinants and inverses of none: do it before"
)
_SPECIAL = "is a special function that ONNX has no operator for: compute it before or after the exported function"
_SCANS = "goes along an axis step by step, and ONNX has only running sums: use tf.scan, which becomes a loop"
_TEXTS = "works on texts in a way that ONNX has no operator for: do it before the exported function"
_BITS = "works on the bits of numbers in a way that ONNX has no operator for: do it before the exported function"
_BOXES = "works on boxes of images in a way that ONNX has no operator for: do it after the exported function"
_RAGGED = "is about rows of different lengths, which ONNX has no tensors of: pad them (to_tensor) first"
_CTC = "is a loss or a search of its own, which ONNX has no operator for: do it after the exported function"
_TAILS = "needs the error function's complement, whose small values ONNX has no operator for: use tf.math.erf"


def _reasons() -> dict[str, str]:
    families = {
        _COMPLEX: "conj real imag complex angle fft ifft rfft irfft",
        _DRAWS: """advance_key split_key scrambled_key threefry_words random_uniform random_bits random_integers
            random_normal random_truncated_normal truncated_normal_quantile truncated_normal_share random_between
            random_gamma gamma_tail random_poisson random_binomial random_categorical random_permutation shuffled_index
            sample_classes random_window""",
        _GRADIENT: """uncompress conv_filter_grad unpool pick origin_index dilation_origin window_spread cofactors
            cofactors_slope minors from_minors igamma_slope betainc_slope zeta_slope gamma_pdf beta_pdf
            overlap_and_add segment_order attention_grad""",
        _WORKERS: "all_reduce all_gather reduce_scatter from_workers the_same_in_workers laid_out",
        _MATRICES: """cholesky qr lu slogdet lu_factor expm sqrtm logm inv solve triangular_solve tridiagonal_solve
            pinv least_squares eigh eigvalsh eig eigvals svd singular_values sparse_matmul""",
        _SPECIAL: """erfinv erfcinv ndtri lgamma digamma polygamma igamma igammac betainc zeta bessel_i bessel_ie
            bessel_j bessel_k bessel_ke bessel_y dawsn expint fresnel_sin fresnel_cos spence nextafter sobol_points""",
        _TAILS: "erfc normal_cdf",
        _SCANS: "cumprod cumulative_logsumexp linear_scan path_scan",
        _TEXTS: """string_strip string_length regex_replace string_to_hash_bucket unicode_transcode
            string_parts string_reduce_join string_segment_join substr as_string""",
        _BITS: "bitcast population_count gcd lcm",
        _BOXES: "suppress outlines non_max_suppression_v3",
        _RAGGED: "row_ids ranges unsorted_segment_max unsorted_segment_min",
        _CTC: "ctc_forward ctc_greedy ctc_beam_search isotonic_levels",
        "cuts signals into frames, and ONNX has no operator for it: use tf.nn.conv1d": "frame dct",
    }
    return {name: reason for reason, names in families.items() for name in names.split()}


REFUSED = _reasons()
