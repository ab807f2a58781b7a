"""What a parameter's name says, and the functions that are left out."""

from ..kinds import *

NAMES = {
    **dict.fromkeys(
        "x input input_tensor tensor value a features logits labels t data matrix x1 arr m ary array values v".split(),
        same,
    ),
    **dict.fromkeys("y b x2 other".split(), like),
    **dict.fromkeys("keepdims transpose_a transpose_b adjoint exclusive reverse flip".split(), flag),
    **dict.fromkeys(
        "name validate_args seed validate_indices out subok device copy layout recall_target order "
        "overwrite_input".split(),
        never,
    ),
    "axis": axis,
    "dtype": any_dtype,
    "output_type": index_dtype,
    "out_type": index_dtype,
    "segment_ids": lambda d: d.array(d.first.shape[:1], "segments", d.pick(["int32", "int64"])),
    "num_segments": number(0, 6),
    "shape": shape(),
    "inputs": several(),
    "indices": indices(),
    "padding_value": never,
}

_IMAGE = dict(
    _profile=dict(
        dtypes=["float32"] * 4 + ["float64", "uint8", "float16", "int32", "bfloat16"],
        fills=["unit", "unit", "normal", "special", "zeros", "big"],
    )
)

SPACES = {
    "math": {"axis": axes},
    "image": _IMAGE
    | {
        **dict.fromkeys("image images a b img1 img2".split(), tensor("b 5 4 3")),
    },
    "linalg": {"_profile": dict(dtypes=["float32"] * 3 + ["float64"] * 3 + ["complex64", "complex128", "float16"])},
    "nn": {"_profile": dict(dtypes=["float32"] * 5 + ["float64"] * 3 + ["float16", "bfloat16"])},
    "signal": {"_profile": dict(dtypes=["float32", "float64"])},
    "strings": {"input": strings, "_profile": {}},
    "bitwise": {"_profile": dict(dtypes=INTEGERS)},
    "quantization": {"_profile": dict(dtypes=["float32"])},
    "experimental.numpy": {"dtype": never, "axis": axes},
}

_REASONS = {
    "makes, changes or reads state": """random.create_rng_state random.get_global_generator random.set_global_generator
        random.set_seed get_logger timestamp load_library experimental.numpy.experimental_enable_numpy_behavior
        register_tensor_conversion_function no_gradient init_scope device control_dependencies get_current_name_scope
        variable_creator_scope inside_function executing_eagerly group no_op print""",
    "draws other numbers each time (their distributions are tested in tests/api)": """random.categorical random.gamma
        random.normal random.poisson random.shuffle random.uniform random.truncated_normal nn.dropout
        nn.all_candidate_sampler nn.fixed_unigram_candidate_sampler nn.learned_unigram_candidate_sampler
        random.log_uniform_candidate_sampler random.uniform_candidate_sampler nn.nce_loss nn.sampled_softmax_loss
        image.random_brightness image.random_contrast image.random_crop image.random_flip_left_right
        image.random_flip_up_down image.random_hue image.random_jpeg_quality image.random_saturation
        image.sample_distorted_bounding_box image.extract_glimpse nn.compute_accidental_hits nn.fractional_avg_pool
        nn.fractional_max_pool experimental.numpy.empty experimental.numpy.empty_like""",
    "takes functions; the interpretations that it starts are compared for all functions here": """case cond switch_case
        while_loop foldl foldr scan map_fn vectorized_map vmap custom_gradient function grad_pass_through
        numpy_function py_function recompute_grad gradients hessians sparse.map_values ragged.map_flat_values""",
    "is about Python objects, not tensors": """get_static_value is_symbolic_tensor is_tensor as_dtype make_ndarray
        make_tensor_proto type_spec_from_value broadcast_static_shape strings.format tuple experimental.numpy.finfo
        experimental.numpy.iinfo experimental.numpy.issubdtype experimental.numpy.promote_types
        experimental.numpy.result_type experimental.numpy.isscalar nn.scale_regularization_loss nn.compute_average_loss
        signal.inverse_stft_window_fn vmap Assert assert_equal assert_greater assert_less assert_rank""",
    "reads or writes files' formats, which fuzz/files mutates": """image.decode_and_crop_jpeg image.decode_bmp
        image.decode_gif image.decode_image image.decode_jpeg image.decode_png image.decode_webp image.encode_jpeg
        image.encode_png image.extract_jpeg_shape image.is_jpeg image.adjust_jpeg_quality
        image.stateless_random_jpeg_quality""",
    "is approximate by definition": "math.approx_max_k math.approx_min_k",
}
OUT_OF_SCOPE = {name: reason for reason, names in _REASONS.items() for name in names.split()}
