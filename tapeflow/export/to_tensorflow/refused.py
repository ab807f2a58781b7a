"""Primitives that are not written as TensorFlow's operators, with the reason, which completes "cannot be exported:
NAME, at LINE, …".

A test holds that each primitive has a rule, a composition, or a line here.
"""

_DRAWS = "draws random numbers in a way that this format has no rule for: make them an argument of the function"
_GRADIENT = "is made for gradients, which are taken here: export a function that only computes (training=False)"
_WORKERS = "works across replicas: export the function of one of them"
_OTHERS = "has no rule for TensorFlow's format yet: do it before or after the exported function"

_FAMILIES = {
    "is not a number for negative arguments in TensorFlow: compute it before or after the exported function": "expint",
    _DRAWS: """split_key threefry_words truncated_normal_quantile truncated_normal_share random_between
        random_gamma gamma_tail random_poisson random_binomial random_categorical random_permutation shuffled_index
        sample_classes random_window""",
    _GRADIENT: """uncompress conv_filter_grad unpool pick origin_index dilation_origin window_spread cofactors
        cofactors_slope minors from_minors igamma_slope betainc_slope zeta_slope gamma_pdf beta_pdf attention_grad
        overlap_and_add segment_order add_along""",
    _WORKERS: "all_reduce all_gather reduce_scatter from_workers the_same_in_workers laid_out",
    _OTHERS: """row_ids ranges unsorted_segment_max unsorted_segment_min unique suppress outlines
        non_max_suppression_v3 lu_factor expm logm tridiagonal_solve pinv least_squares sparse_matmul dct frame gcd lcm
        linear_scan ctc_forward path_scan ctc_greedy ctc_beam_search isotonic_levels sobol_points string_parts
        string_segment_join""",
}

REFUSED = {name: reason for reason, names in _FAMILIES.items() for name in names.split()}
