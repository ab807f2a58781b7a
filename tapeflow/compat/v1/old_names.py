"""Names of version 1 that are elsewhere in version 2, and those that only make sense with version 1's graphs."""

# By namespace of version 2: names that were in `tf` itself; `old=new` where the name has changed, too.
_MOVED = {
    "math": """acos acosh angle asin asinh atan atanh bincount ceil conj cumprod digamma erf erfc floordiv floormod
        igamma igammac imag invert_permutation is_finite is_inf is_nan lbeta lgamma log log1p log_sigmoid mod=floormod
        polygamma real reciprocal rint rsqrt segment_max segment_mean segment_min segment_prod segment_sum
        squared_difference unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod
        unsorted_segment_sum zeta betainc accumulate_n""",
    "linalg": """cholesky cholesky_solve cross diag=tensor_diag diag_part=tensor_diag_part global_norm
        matrix_band_part=band_part matrix_determinant=det matrix_diag=diag matrix_diag_part=diag_part
        matrix_inverse=inv matrix_set_diag=set_diag matrix_solve=solve matrix_solve_ls=lstsq matrix_transpose
        matrix_triangular_solve=triangular_solve qr self_adjoint_eig=eigh self_adjoint_eigvals=eigvalsh svd trace
        logdet""",
    "random": "random_gamma=gamma random_normal=normal random_poisson=poisson random_shuffle=shuffle "
    "random_uniform=uniform truncated_normal",
    "signal": "fft fft2d fft3d ifft ifft2d ifft3d",
    "io": """FixedLenFeature FixedLenSequenceFeature VarLenFeature decode_base64 decode_csv decode_raw encode_base64
        parse_example parse_single_example parse_tensor read_file serialize_tensor write_file""",
    "strings": "regex_replace string_join=join reduce_join string_to_number=to_number substr",
    "debugging": "assert_integer assert_scalar assert_type check_numerics is_numeric_tensor",
    "nn": "depth_to_space space_to_depth",
    "image": "extract_image_patches=extract_patches",
    "sparse": "sparse_add=add sparse_reorder=reorder sparse_tensor_to_dense=to_dense",
    "quantization": "fake_quant_with_min_max_args fake_quant_with_min_max_vars",
    "compat": "dimension_at_index dimension_value forward_compatible",
    "keras.initializers": "orthogonal_initializer=Orthogonal",
    "": """reverse_v2=reverse tensor_scatter_add=tensor_scatter_nd_add tensor_scatter_sub=tensor_scatter_nd_sub
        tensor_scatter_update=tensor_scatter_nd_update executing_eagerly_outside_functions=executing_eagerly""",
}

OLD_NAMES: dict[str, str] = {}
for _namespace, _names in _MOVED.items():
    for _entry in _names.split():
        _old, _, _new = _entry.partition("=")
        OLD_NAMES[_old] = f"{_namespace}.{_new or _old}".lstrip(".")

# Functions that build or ask about a graph, and what to do without one.
GRAPHS = {
    "placeholder": "Make it an argument of a function.",
    "sparse_placeholder": "Make it an argument of a function.",
    "get_collection": "Keep what belongs together in an object, such as a tf.Module.",
    "get_collection_ref": "Keep what belongs together in an object, such as a tf.Module.",
    "add_to_collection": "Keep what belongs together in an object, such as a tf.Module.",
    "get_session_handle": "Tensors have values.",
    "name_scope_v1": "Use tf.name_scope.",
    "make_template": "Use a tf.Module.",
}

# Namespaces that are about graphs altogether.
NAMESPACES = {
    "estimator": "Use tf.keras models; estimators left TensorFlow, too.",
    "layers": "Use tf.keras.layers.",
    "metrics": "Use tf.keras.metrics.",
    "summary": "Use tf.summary, whose functions write at once.",
    "profiler": "Use tf.profiler.experimental.",
    "rnn_cell": "Use tf.keras.layers.",
}
