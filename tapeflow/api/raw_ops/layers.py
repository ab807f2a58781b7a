"""Operations of `tf.raw_ops` for neural networks and images: convolutions, pooling, resizing, losses."""

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api import image as pictures, nn
from tapeflow.api.arrays.building import one_hot
from tapeflow.api.image.resize import resize
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import int64, uint8
from tapeflow.core.errors import UnimplementedError

from .attributes import only

__all__ = ["LAYERS"]

_Loss = namedtuple("SoftmaxCrossEntropyWithLogits", "loss backprop")
_Pooled = namedtuple("MaxPoolWithArgmax", "output argmax")
_Suppressed = namedtuple("CombinedNonMaxSuppression", "nmsed_boxes nmsed_scores nmsed_classes valid_detections")


def _padding(padding: Any, explicit: Sequence[int]) -> Any:
    """As the public functions take it: a word, or pairs for each axis."""
    if padding != "EXPLICIT":
        return padding
    return [list(pair) for pair in zip(explicit[::2], explicit[1::2])]


def _convolution(function: Callable, data_format: str) -> Callable:
    def convolve(
        input: Any, filter: Any, strides: Any, padding: Any, explicit_paddings: Any = (),
        data_format: str = data_format, dilations: Any = None,
    ) -> Any:  # fmt: skip
        return function(input, filter, strides, _padding(padding, explicit_paddings), data_format, dilations)

    return convolve


def _transposed(
    input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, explicit_paddings: Any = (),
    data_format: str = "NHWC", dilations: Any = None,
) -> Any:  # fmt: skip
    padding = _padding(padding, explicit_paddings)
    return nn.conv2d_transpose(out_backprop, filter, input_sizes, strides, padding, data_format, dilations)


def _depthwise(
    input: Any, filter: Any, strides: Any, padding: Any, explicit_paddings: Any = (), data_format: str = "NHWC",
    dilations: Any = None,
) -> Any:  # fmt: skip
    first = data_format == "NCHW"
    spatial = None if dilations is None else list(dilations)[2:] if first else list(dilations)[1:3]
    padding = _padding(padding, explicit_paddings)
    return nn.depthwise_conv2d(input, filter, strides, padding, data_format, spatial)


def _softmax_loss(features: Any, labels: Any) -> Any:
    loss = nn.softmax_cross_entropy_with_logits(labels=labels, logits=features)
    return _Loss(loss, nn.softmax(features) - as_tensor(labels))


def _sparse_softmax_loss(features: Any, labels: Any) -> Any:
    loss = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=features)
    count = as_tensor(features).sizes[-1]
    return _Loss(loss, nn.softmax(features) - one_hot(labels, count, dtype=as_tensor(features).dtype))


def _resized(method: str) -> Callable:
    def resized(images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
        if align_corners or not half_pixel_centers:
            same = as_tensor(size)
            now = as_tensor(images)
            grown = _whole_factor(now, same)
            if align_corners or grown is None or method != "nearest":
                raise UnimplementedError(
                    None,
                    None,
                    f"Images are resized with half_pixel_centers=True alone; the graph asks for align_corners="
                    f"{align_corners}, half_pixel_centers={half_pixel_centers} ({method}).",
                )
        return resize(images, size, method)

    return resized


def _whole_factor(images: Any, size: Any) -> Any:
    """By how much images grow, if by a whole number: then the nearest pixel is the same, wherever pixels have their
    centre."""
    try:
        wanted, now = [int(n) for n in size.numpy()], [int(n) for n in images.sizes[1:3]]
    except (AttributeError, TypeError, ValueError, NotImplementedError):
        return None
    return wanted if all(w % n == 0 for w, n in zip(wanted, now)) else None


def _crop_and_resize(
    image: Any, boxes: Any, box_ind: Any, crop_size: Any, method: str = "bilinear", extrapolation_value: float = 0.0
) -> Any:
    return pictures.crop_and_resize(image, boxes, box_ind, crop_size, method, extrapolation_value)


def _pooling(function: Callable, data_format: str) -> Callable:
    def pool(
        input: Any, ksize: Any, strides: Any, padding: Any, explicit_paddings: Any = (), data_format: str = data_format
    ) -> Any:
        return function(input, ksize, strides, _padding(padding, explicit_paddings), data_format)

    return pool


LAYERS: dict[str, Callable] = dict(
    Conv2D=_convolution(nn.conv2d, "NHWC"),
    Conv3D=_convolution(nn.conv3d, "NDHWC"),
    DepthwiseConv2dNative=_depthwise,
    Conv2DBackpropInput=_transposed,
    Conv3DBackpropInputV2=lambda input_sizes, filter, out_backprop, strides, padding, data_format="NDHWC",
    dilations=None: nn.conv3d_transpose(
        out_backprop, filter, input_sizes, strides, padding, data_format, dilations
    ),
    MaxPool=_pooling(nn.max_pool2d, "NHWC"),
    MaxPoolV2=lambda input, ksize, strides, padding, data_format="NHWC": nn.max_pool2d(
        input, as_tensor(ksize).numpy().tolist(), as_tensor(strides).numpy().tolist(), padding, data_format
    ),
    MaxPool3D=_pooling(nn.max_pool3d, "NDHWC"),
    AvgPool=lambda value, ksize, strides, padding, data_format="NHWC": nn.avg_pool2d(
        value, ksize, strides, padding, data_format
    ),
    AvgPool3D=_pooling(nn.avg_pool3d, "NDHWC"),
    MaxPoolWithArgmax=lambda input, ksize, strides, padding, Targmax=int64, include_batch_in_index=False: _Pooled(
        *nn.max_pool_with_argmax(
            input, ksize, strides, padding, output_dtype=Targmax, include_batch_in_index=include_batch_in_index
        )
    ),
    BiasAddV1=lambda value, bias: nn.bias_add(value, bias),
    LRN=lambda input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5: nn.local_response_normalization(
        input, depth_radius, bias, alpha, beta
    ),
    Dilation2D=lambda input, filter, strides, rates, padding: nn.dilation2d(
        input, filter, strides, padding, "NHWC", rates
    ),
    SoftmaxCrossEntropyWithLogits=_softmax_loss,
    SparseSoftmaxCrossEntropyWithLogits=_sparse_softmax_loss,
    # ---- images
    ResizeBilinear=_resized("bilinear"),
    ResizeNearestNeighbor=_resized("nearest"),
    ResizeBicubic=_resized("bicubic"),
    ResizeArea=only(lambda images, size: resize(images, size, "area"), align_corners=(False,)),
    CropAndResize=_crop_and_resize,
    ExtractImagePatches=lambda images, ksizes, strides, rates, padding: pictures.extract_patches(
        images, ksizes, strides, rates, padding
    ),
    AdjustContrastv2=lambda images, contrast_factor: pictures.adjust_contrast(images, contrast_factor),
    AdjustHue=lambda images, delta: pictures.adjust_hue(images, delta),
    AdjustSaturation=lambda images, scale: pictures.adjust_saturation(images, scale),
    RGBToHSV=lambda images: pictures.rgb_to_hsv(images),
    HSVToRGB=lambda images: pictures.hsv_to_rgb(images),
    DecodeJpeg=only(
        lambda contents, channels=0, ratio=1, try_recover_truncated=False, dct_method="": pictures.decode_jpeg(
            contents, channels, ratio, True, try_recover_truncated, 1, dct_method
        ),
        fancy_upscaling=(True,),
        acceptable_fraction=(1.0,),
    ),
    DecodePng=lambda contents, channels=0, dtype=uint8: pictures.decode_png(contents, channels, dtype),
    NonMaxSuppressionV2=lambda boxes, scores, max_output_size, iou_threshold: pictures.non_max_suppression(
        boxes, scores, max_output_size, iou_threshold
    ),
    CombinedNonMaxSuppression=lambda boxes, scores, max_output_size_per_class, max_total_size, iou_threshold,
    score_threshold, pad_per_class=False, clip_boxes=True: _Suppressed(
        *pictures.combined_non_max_suppression(
            boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold, pad_per_class,
            clip_boxes,
        )
    ),
)  # fmt: skip
