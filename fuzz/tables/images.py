"""tf.image."""

from ..kinds import *

_FLOATS = dict(_dtypes=["float32", "float32", "float64", "float16", "bfloat16"])
_seed = lambda d: [d.integer(0, 9), d.integer(0, 9)]
_boxes = lambda d: d.array((4, 4), "unit", "float32")
_scores = lambda d: d.array((4,), "unit", "float32")
_any = tensor("b 5 4 2")
_gray = tensor("b 5 4 1")
_method = one_of("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
_offsets = dict(
    image=_any,
    offset_height=number(0, 2),
    offset_width=number(0, 1),
    target_height=number(1, 6),
    target_width=number(1, 5),
)
_thresholds = dict(max_output_size=number(0, 5), iou_threshold=one_of(0.3, 0.7), score_threshold=one_of(0.2))
_random = dict(seed=_seed)

TABLE = {
    "image.adjust_brightness": dict(delta=one_of(0.1, -0.3)),
    "image.adjust_contrast": dict(contrast_factor=one_of(0.5, 2.0)),
    "image.adjust_gamma": dict(gamma=one_of(0.5, 2), gain=one_of(2)),
    "image.adjust_hue": dict(delta=one_of(0.1, -0.4)),
    "image.adjust_saturation": dict(saturation_factor=one_of(0.5, 2.0)),
    "image.central_crop": dict(image=_any, central_fraction=one_of(0.5, 1.0, 0.3)),
    "image.combined_non_max_suppression": dict(
        boxes=lambda d: d.array((1, 4, 1, 4), "unit", "float32"),
        scores=lambda d: d.array((1, 4, 2), "unit", "float32"),
        max_output_size_per_class=number(1, 3),
        max_total_size=number(1, 4),
        iou_threshold=one_of(0.3),
        score_threshold=one_of(0.2),
        pad_per_class=flag,
        clip_boxes=flag,
    ),
    "image.convert_image_dtype": dict(
        dtype=dtypes("float32", "uint8", "int32", "float16", "float64", "int16"), saturate=flag
    ),
    "image.crop_and_resize": dict(
        image=tensor((2, 5, 4, 2)),
        boxes=lambda d: d.array((3, 4), "unit", "float32"),
        box_indices=lambda d: d.array((3,), "below 2", "int32"),
        crop_size=one_of([2, 3], [1, 1]),
        method=one_of("bilinear", "nearest"),
        extrapolation_value=one_of(0.0, 2.0),
    ),
    "image.crop_to_bounding_box": _offsets,
    "image.pad_to_bounding_box": _offsets,
    "image.draw_bounding_boxes": dict(
        images=tensor((1, 5, 4, 3)),
        boxes=lambda d: d.array((1, 2, 4), "unit", "float32"),
        colors=one_of(None, [[1.0, 0.0, 0.5]]),
        _dtypes=["float32"],
    ),
    "image.extract_patches": dict(
        images=_any,
        sizes=one_of([1, 2, 2, 1], [1, 3, 1, 1]),
        strides=one_of([1, 1, 1, 1], [1, 2, 1, 1]),
        rates=one_of([1, 1, 1, 1], [1, 1, 2, 1]),
        padding=one_of("VALID", "SAME"),
    ),
    **{
        f"image.{op}": dict(image=_any)
        for op in (
            "flip_left_right",
            "flip_up_down",
            "image_gradients",
            "per_image_standardization",
            "sobel_edges",
            "transpose",
        )
    },
    "image.rot90": dict(image=_any, k=number(-1, 5)),
    "image.grayscale_to_rgb": dict(images=_gray),
    "image.total_variation": dict(images=_any),
    "image.non_max_suppression": dict(boxes=_boxes, scores=_scores) | _thresholds,
    "image.non_max_suppression_overlaps": dict(
        overlaps=_boxes,
        scores=_scores,
        max_output_size=number(0, 5),
        overlap_threshold=one_of(0.4),
        score_threshold=one_of(0.2),
    ),
    "image.non_max_suppression_padded": dict(
        boxes=_boxes,
        scores=_scores,
        pad_to_max_output_size=flag,
        sorted_input=never,
        canonicalized_coordinates=flag,
        tile_size=never,
    )
    | _thresholds,
    "image.non_max_suppression_with_scores": dict(boxes=_boxes, scores=_scores, soft_nms_sigma=one_of(0.5))
    | _thresholds,
    "image.psnr": dict(max_val=one_of(1.0, 255)),
    "image.resize": dict(
        images=_any,
        size=one_of([3, 3], [7, 2], [5, 4], [1, 1]),
        method=_method,
        preserve_aspect_ratio=flag,
        antialias=flag,
    ),
    "image.resize_with_crop_or_pad": dict(image=_any, target_height=number(1, 7), target_width=number(1, 6)),
    "image.resize_with_pad": dict(
        image=_any, target_height=number(1, 7), target_width=number(1, 6), method=_method, antialias=flag
    ),
    "image.ssim": dict(
        img1=tensor((1, 12, 12, 1)),
        img2=tensor((1, 12, 12, 1)),
        max_val=one_of(1.0),
        filter_size=one_of(11, 5),
        filter_sigma=one_of(1.5),
        k1=never,
        k2=never,
        return_index_map=flag,
    )
    | _FLOATS,
    "image.ssim_multiscale": dict(
        img1=tensor((1, 24, 24, 1)),
        img2=tensor((1, 24, 24, 1)),
        max_val=one_of(1.0),
        power_factors=lambda d: [0.5, 0.5],
        filter_size=lambda d: 5,
        filter_sigma=never,
        k1=never,
        k2=never,
        _dtypes=["float32"],
    ),
    "image.stateless_random_brightness": dict(max_delta=one_of(0.3)) | _random,
    "image.stateless_random_contrast": dict(lower=one_of(0.3), upper=one_of(1.5)) | _random,
    "image.stateless_random_crop": dict(value=_any, size=lambda d: [d.first.shape[0], 2, 2, 2]) | _random,
    "image.stateless_random_flip_left_right": dict(image=_any) | _random,
    "image.stateless_random_flip_up_down": dict(image=_any) | _random,
    "image.stateless_random_hue": dict(max_delta=one_of(0.3)) | _random,
    "image.stateless_random_saturation": dict(lower=one_of(0.3), upper=one_of(1.5)) | _random,
    "image.stateless_sample_distorted_bounding_box": dict(
        image_size=one_of([5, 4, 3]),
        bounding_boxes=lambda d: d.array((1, 1, 4), "sorted", "float32"),
        aspect_ratio_range=one_of([0.7, 1.3]),
        area_range=one_of([0.2, 1.0]),
        max_attempts=number(1, 9),
        use_image_if_no_bounding_boxes=flag,
        min_object_covered=one_of(0.1),
    )
    | _random,
}
