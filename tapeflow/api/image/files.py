"""Image files: `tf.io.decode_jpeg` and the others, to tensors and back. JPEG is decoded with the accurate integer
transform."""

from typing import Any

import numpy as np

from tapeflow.api.strings.host import array_of, one_string, string_tensor
from tapeflow.core.dtypes import as_dtype, int32, uint8, uint16
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike, TextLike

from .color import convert_image_dtype
from .pictures import format_of, jpeg_bytes, jpeg_shape, picture, png_bytes

__all__ = [
    "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_webp",
    "encode_jpeg", "encode_png", "extract_jpeg_shape", "is_jpeg",
]  # fmt: skip

_JPEG_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


def _decoded(contents: Any, channels: int | None, dtype: Any = uint8, frames: bool = False, **jpeg: Any) -> Tensor:
    data, channels = one_string(contents, "`contents`"), channels or 0
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}.")
    array = picture(data, channels, as_dtype(dtype) is uint16, frames, **jpeg)
    if as_dtype(dtype) is uint16 and array.dtype == np.uint8:
        array = array * np.uint16(256)
    return EagerTensor(np.array(array, order="C"))  # its own memory, which nobody else writes


def _one_frame(contents: Any, array: Tensor) -> Tensor:
    """The only picture of a GIF; a function for single pictures takes no animation."""
    if array.ndim == 3:
        return array
    if array.sizes[0] != 1:
        raise invalid(
            f"Got {array.shape[0]} frames, but animated gifs can only be decoded by tf.io.decode_gif or "
            "tf.io.decode_image."
        )
    return array[0]


def _not_bmp(contents: Any, function: str) -> None:
    data = one_string(contents, "`contents`")
    if format_of(data) == "BMP":
        raise invalid(
            f"Trying to decode BMP format using a wrong op: {function}. Use `decode_bmp` or `decode_image` instead."
        )


def decode_jpeg(
    contents: TextLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A JPEG as a uint8 tensor of height, width and channels: 1, 3, or what the file has (0). `ratio` makes it 2, 4 or
    8 times smaller.

    Args:
        ratio: 1, 2, 4 or 8: how many times smaller the picture becomes.
        try_recover_truncated: True decodes what there is of a file that ends too early.

    Raises:
        InvalidArgumentError: If the bytes are no picture, or one with several frames.

    >>> image = tf.fill([8, 12, 3], tf.constant(100, tf.uint8))
    >>> tf.io.decode_jpeg(tf.io.encode_jpeg(image), ratio=2).shape
    TensorShape([4, 6, 3])
    """
    if dct_method not in _JPEG_METHODS:
        raise invalid(f"dct_method must be one of {_JPEG_METHODS}, got {dct_method!r}.")
    _not_bmp(contents, "decode_jpeg")
    return _one_frame(contents, _decoded(contents, channels, frames=True, ratio=ratio, recover=try_recover_truncated))


def decode_and_crop_jpeg(
    contents: TextLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of a JPEG: `crop_window` is the top, the left, the height and the width.

    Args:
        crop_window: Top, left, height and width, in pixels of the decoded picture.
        ratio: 1, 2, 4 or 8: how many times smaller the picture becomes before it is cut.
        try_recover_truncated: True decodes what there is of a file that ends too early.

    Raises:
        InvalidArgumentError: If the bytes are no such picture, or the window does not lie within it.

    >>> image = tf.fill([8, 12, 3], tf.constant(100, tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(image), [1, 2, 4, 5]).shape
    TensorShape([4, 5, 3])
    """
    whole = decode_jpeg(
        contents, channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    )
    top, left, height, width = array_of(crop_window).tolist()
    if (
        top < 0
        or left < 0
        or height <= 0
        or width <= 0
        or top + height > whole.sizes[0]
        or left + width > whole.sizes[1]
    ):
        raise invalid(
            f"Invalid JPEG crop window {[top, left, height, width]} for a picture of {whole.shape[0]} × "
            f"{whole.shape[1]}."
        )
    return whole[top : top + height, left : left + width]


def decode_png(contents: TextLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None) -> Tensor:
    """A PNG as a tensor of height, width and channels: 1, 3, 4, or what the file has (0); `dtype` is uint8 or uint16.

    Args:
        dtype: uint8 or uint16.

    Raises:
        InvalidArgumentError: If the bytes are no picture, or one with several frames.

    >>> image = tf.constant([[[1, 2, 3], [4, 5, 6]]], tf.uint8)
    >>> tf.io.decode_png(tf.io.encode_png(image)).numpy()
    array([[[1, 2, 3], [4, 5, 6]]], dtype=uint8)
    """
    if as_dtype(dtype) not in (uint8, uint16):
        raise invalid(f"dtype={as_dtype(dtype).name} is not one of uint8 and uint16; tf.io.decode_image makes others.")
    _not_bmp(contents, "decode_png")
    return _one_frame(contents, _decoded(contents, channels, dtype, frames=True))


def decode_gif(contents: TextLike, name: str | None = None) -> Tensor:
    """A GIF as a uint8 tensor of frames, height, width and 3 channels.

    Raises:
        InvalidArgumentError: If the bytes are no picture.

    >>> import base64
    >>> gif = base64.b64decode("R0lGODlhAQABAIAAAP///////yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==")
    >>> tf.io.decode_gif(gif).shape
    TensorShape([1, 1, 1, 3])
    """
    _not_bmp(contents, "decode_gif")
    found = _decoded(contents, 3, frames=True)
    return found if found.ndim == 4 else found[None]


def decode_bmp(contents: TextLike, channels: int = 0, name: str | None = None) -> Tensor:
    """A BMP as a uint8 tensor of height, width and channels: 3, 4, or what the file has (0).

    Raises:
        InvalidArgumentError: If the bytes are no such picture.

    >>> header = b"BM:\\0\\0\\0\\0\\0\\0\\0" b"6\\0\\0\\0(\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\1\\0\\x18\\0" + bytes(24)
    >>> tf.io.decode_bmp(header + b"\\3\\2\\1\\0").numpy()
    array([[[1, 2, 3]]], dtype=uint8)
    """
    kind = format_of(one_string(contents, "`contents`"))
    if kind != "BMP":
        raise invalid(
            f"Trying to decode {kind} format using decode_bmp. Use `decode_{kind.lower()}` or `decode_image` instead."
        )
    return _decoded(contents, channels)


def decode_webp(contents: TextLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None) -> Tensor:
    """A WebP picture as a uint8 tensor of one frame, height, width and channels: 3, 4, or what the file has (0).

    Args:
        dtype: uint8; it is not used.

    Raises:
        InvalidArgumentError: If the bytes are no such picture.

    >>> try:
    ...     tf.io.decode_webp(b"RIFF....")
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(str(error)[:26])
    Unknown image file format.
    """
    if format_of(one_string(contents, "`contents`")) != "WEBP":
        raise invalid("Trying to decode another format using decode_webp. Use `decode_image` instead.")
    return _decoded(contents, channels)[None]


def decode_image(
    contents: TextLike,
    channels: int | None = None,
    dtype: DTypeLike = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Any of JPEG, PNG, GIF, BMP and WebP. A GIF has an axis of frames, unless `expand_animations=False`: then its
    first.

    In a dtype other than uint8 values are scaled, as by `tf.image.convert_image_dtype`.

    Args:
        channels: 1, 3 or 4, as the format allows; 0 and None: as many as the file has.
        dtype: The dtype of the result; floats are from 0 to 1.
        expand_animations: False gives three axes, of a GIF the first frame.

    Raises:
        InvalidArgumentError: If the bytes are no picture of these formats.

    >>> image = tf.constant([[[0], [51], [255]]], tf.uint8)
    >>> tf.io.decode_image(tf.io.encode_png(image), dtype=tf.float32).numpy().ravel().round(4)
    array([0. , 0.2, 1. ], dtype=float32)
    """
    wanted = as_dtype(dtype)
    data = one_string(contents, "`contents`")
    if wanted in (uint8, uint16) or (wanted.name == "float32" and data and format_of(data) != "PNG"):
        found = _decoded(data, channels, uint16 if wanted is uint16 else uint8, frames=expand_animations)
    else:
        found = _decoded(data, channels, uint16, frames=expand_animations)
    if expand_animations and found.ndim == 3 and format_of(data) == "WEBP":
        found = found[None]
    return convert_image_dtype(found, wanted)


def is_jpeg(contents: TextLike, name: str | None = None) -> Tensor:
    """Whether a string begins as a JPEG does.

    >>> bool(tf.io.is_jpeg(tf.io.encode_png(tf.zeros([1, 1, 3], tf.uint8))))
    False
    """
    return EagerTensor(np.array(one_string(contents, "`contents`").startswith(b"\xff\xd8\xff")))


def extract_jpeg_shape(contents: TextLike, output_type: DTypeLike = int32, name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG, without decoding it.

    Args:
        output_type: int32 or int64.

    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([8, 12, 3], tf.uint8))).numpy()
    array([ 8, 12,  3], dtype=int32)
    """
    return EagerTensor(np.array(jpeg_shape(one_string(contents, "`contents`")), as_dtype(output_type).np))


# ---- encoding


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """A uint8 tensor of height, width and 1 or 3 channels as a JPEG.

    Args:
        image: One image, uint8.
        format: "grayscale", "rgb", or "" for what the channels say.
        quality: From 0, the worst, to 100.
        progressive: True writes a file that is shown coarse first.
        optimize_size: True takes more time for a smaller file.
        chroma_downsampling: False keeps colours in full resolution.
        density_unit: "in" for pixels per inch, "cm" per centimetre.
        x_density: Pixels to the unit, sideways.
        y_density: Pixels to the unit, downwards.
        xmp_metadata: XMP metadata to put into the file.

    Returns:
        A scalar string, the bytes of the file.

    >>> bool(tf.io.is_jpeg(tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8), quality=80)))
    True
    """
    array = array_of(image)
    if array.dtype != np.uint8:
        raise invalid(
            f"A JPEG is made of a uint8 tensor, got {as_dtype(array.dtype).name}: tf.image.convert_image_dtype makes "
            "one."
        )
    if array.ndim != 3 or array.shape[2] not in (1, 3) or not array.size:
        raise invalid(f"image must be 3-dimensional with 1 or 3 channels, got shape {list(array.shape)}.")
    wanted = {"": array.shape[2], "grayscale": 1, "rgb": 3}
    if format not in wanted:
        raise invalid(f"format={format!r} is not one of '', 'grayscale' and 'rgb'.")
    if wanted[format] != array.shape[2]:
        raise invalid(f"format {format} expects {wanted[format]} channels, got {list(array.shape)}.")
    if not 0 <= int(quality) <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}.")
    density = (x_density, y_density) if density_unit == "in" else (x_density * 2.54, y_density * 2.54)
    extra = {"xmp": xmp_metadata.encode()} if xmp_metadata else {}
    data = jpeg_bytes(
        array, quality=max(int(quality), 1), progressive=progressive, optimize=optimize_size,
        subsampling=2 if chroma_downsampling else 0, dpi=density, **extra,
    )  # fmt: skip
    return string_tensor([data], ())


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """A uint8 or uint16 tensor of height, width and 1 to 4 channels as a PNG; of more axes, one PNG for each picture.

    Args:
        image: An image, (height, width, channels), or any number of them with further axes in front.
        compression: From 0, the fastest, to 9, the smallest; -1 for the library's own choice.

    Returns:
        Strings, the bytes of the files; a scalar for one image.

    >>> tf.io.encode_png(tf.zeros([5, 8, 8, 3], tf.uint8)).shape
    TensorShape([5])
    """
    array = array_of(image)
    if array.dtype not in (np.uint8, np.uint16):
        raise invalid(
            f"A PNG is made of a uint8 or uint16 tensor, got {as_dtype(array.dtype).name}: use "
            "tf.image.convert_image_dtype."
        )
    if array.ndim < 3:
        raise invalid(f"images must be at least rank 3, got shape {list(array.shape)}.")
    if array.shape[-1] not in (1, 2, 3, 4):
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {array.shape[-1]}.")
    if not array.shape[-2] or not array.shape[-3]:
        raise invalid(f"image must have pixels, got shape {list(array.shape)}.")
    if not -1 <= int(compression) <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression}.")
    pictures = array.reshape(-1, *array.shape[-3:])
    return string_tensor([png_bytes(one, int(compression)) for one in pictures], array.shape[:-3])
