"""Picture files: shapes, channels, dtypes and errors as TensorFlow has them; what is damaged is refused."""

import io
import re
import struct
import sys

import numpy as np
import pytest
from PIL import Image

import tapeflow as tf
from tapeflow.names.extras import install

Y, X = np.mgrid[0:32, 0:40]
RGB = np.stack([X * 6 % 256, Y * 7 % 256, (X * 3 + Y * 2) % 256], -1).astype(np.uint8)
RGB[5:9, 4:20] = [200, 10, 30]
RGBA = np.concatenate([RGB, ((X + Y) * 3 % 256)[..., None].astype(np.uint8)], -1)


def file(array, kind, mode=None, **options):
    buffer = io.BytesIO()
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(buffer, kind, **options)
    return buffer.getvalue()


JPEG, PNG, BMP = file(RGB, "JPEG", quality=90), file(RGB, "PNG"), file(RGB, "BMP")
GIF = file(RGB, "GIF")
ANIMATED = file(
    RGB, "GIF", save_all=True, append_images=[Image.fromarray(RGB[::-1]), Image.fromarray(RGB[:, ::-1])], loop=0
)


# ---- JPEG


def test_jpeg_is_decoded_as_by_tensorflow_with_the_accurate_method():
    found = tf.io.decode_jpeg(JPEG)
    assert found.dtype == tf.uint8 and found.shape == (32, 40, 3)
    assert int(tf.reduce_sum(tf.cast(found, tf.int32))) == pytest.approx(
        408142, abs=60
    )  # other versions of libjpeg round differently


@pytest.mark.parametrize("channels, shape", [(0, (32, 40, 3)), (1, (32, 40, 1)), (3, (32, 40, 3))])
def test_jpeg_channels(channels, shape):
    assert tf.io.decode_jpeg(JPEG, channels=channels).shape == shape
    assert tf.io.decode_jpeg(file(RGB[..., 0], "JPEG"), channels=channels).shape == (*shape[:2], channels or 1)
    assert tf.io.decode_jpeg(file(RGB, "JPEG", "CMYK"), channels=channels).shape == shape


@pytest.mark.parametrize("ratio, shape", [(1, (32, 40, 3)), (2, (16, 20, 3)), (4, (8, 10, 3)), (8, (4, 5, 3))])
def test_jpeg_made_smaller(ratio, shape):
    found = tf.io.decode_jpeg(JPEG, ratio=ratio)
    assert found.shape == shape
    assert abs(found.numpy().mean() - RGB.mean()) < 4


def test_a_small_jpeg_made_smaller():
    assert tf.io.decode_jpeg(file(RGB[:3, :9], "JPEG"), ratio=8).shape == (1, 2, 3)
    assert tf.io.decode_jpeg(file(RGB[:3, :9, 0], "JPEG"), ratio=8).shape == (1, 2, 1)


def test_jpeg_parts():
    whole = tf.io.decode_jpeg(JPEG).numpy()
    np.testing.assert_array_equal(tf.io.decode_and_crop_jpeg(JPEG, [2, 3, 10, 12]).numpy(), whole[2:12, 3:15])
    with pytest.raises(tf.errors.InvalidArgumentError, match="crop window"):
        tf.io.decode_and_crop_jpeg(JPEG, [2, 3, 100, 12])


def test_what_is_a_jpeg():
    assert bool(tf.io.is_jpeg(JPEG)) and not bool(tf.io.is_jpeg(PNG))
    assert tf.io.extract_jpeg_shape(JPEG).numpy().tolist() == [32, 40, 3]
    assert tf.io.extract_jpeg_shape(JPEG, output_type=tf.int64).dtype == tf.int64
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data, size"):
        tf.io.extract_jpeg_shape(PNG)


def test_a_jpeg_that_is_cut():
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    cut = file(noise, "JPEG")[:-2000]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid JPEG data, size \d+: .*truncated"):
        tf.io.decode_jpeg(cut)
    assert tf.io.decode_jpeg(cut, try_recover_truncated=True, acceptable_fraction=0.1).shape == (64, 64, 3)


def test_jpeg_arguments():
    for options, message in [
        (dict(channels=4), "4 channels"),
        (dict(ratio=3), "ratio must be"),
        (dict(dct_method="X"), "dct_method"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.decode_jpeg(JPEG, **options)


# ---- PNG


@pytest.mark.parametrize(
    "data, channels",
    [
        (PNG, 3), (file(RGBA, "PNG"), 4), (file(RGB[..., 0], "PNG"), 1), (file(RGB, "PNG", "P"), 3),
        (file(RGBA, "PNG", "LA"), 2), (file(RGB, "PNG", "1"), 1),
    ],
)  # fmt: skip
def test_png_channels(data, channels):
    assert tf.io.decode_png(data).shape == (32, 40, channels)
    for wanted in (1, 3, 4):
        assert tf.io.decode_png(data, channels=wanted).shape == (32, 40, wanted)


def test_png_pixels():
    np.testing.assert_array_equal(tf.io.decode_png(PNG).numpy(), RGB)
    np.testing.assert_array_equal(tf.io.decode_png(file(RGBA, "PNG")).numpy(), RGBA)
    np.testing.assert_array_equal(tf.io.decode_png(file(RGBA, "PNG"), channels=3).numpy(), RGB)
    assert tf.io.decode_png(PNG, channels=4).numpy()[..., 3].min() == 255
    assert int(tf.io.decode_png(PNG, channels=1).numpy().sum(dtype=int)) == 139794  # TensorFlow's grey


def test_png_of_16_bits():
    grey = RGB[..., :1].astype(np.uint16) * 257 + 3
    data = file(grey[..., 0], "PNG")
    np.testing.assert_array_equal(tf.io.decode_png(data, dtype=tf.uint16).numpy(), grey)
    np.testing.assert_array_equal(tf.io.decode_png(data).numpy(), grey >> 8)
    np.testing.assert_array_equal(tf.io.decode_png(PNG, dtype=tf.uint16).numpy(), RGB.astype(np.uint16) * 257)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_there_and_back(channels, dtype):
    image = np.random.default_rng(channels).integers(0, np.iinfo(dtype).max, (9, 7, channels), dtype, endpoint=True)
    np.testing.assert_array_equal(tf.io.decode_png(tf.io.encode_png(image), dtype=dtype).numpy(), image)


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4])
def test_every_filter_of_a_deep_png(kind):
    """A row is stored as differences to its neighbours, in one of five ways; each is undone."""
    import zlib

    from tapeflow.api.image.bitmaps import read_deep_png

    image = np.random.default_rng(7).integers(0, 65536, (4, 5, 3), np.uint16)
    rows = image.astype(">u2").reshape(4, -1).view(np.uint8).astype(int)
    lines = b""
    for k, row in enumerate(rows):
        up = rows[k - 1] if k else np.zeros_like(row)
        left, corner = np.roll(row, 6), np.roll(up, 6)
        left[:6] = corner[:6] = 0
        guess = left + up - corner
        a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
        nearest = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
        predicted = [np.zeros_like(row), left, up, (left + up) // 2, nearest][kind]
        lines += bytes([kind]) + ((row - predicted) % 256).astype(np.uint8).tobytes()
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 5, 4, 16, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    ]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
    np.testing.assert_array_equal(read_deep_png(data), image)
    for bad in (data[:-20], data.replace(b"IDAT", b"IDAX")):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid PNG data"):
            tf.io.decode_png(bad, dtype=tf.uint16)


# ---- GIF, BMP, WebP


def test_gif():
    assert tf.io.decode_gif(ANIMATED).shape == (3, 32, 40, 3)
    assert tf.io.decode_gif(PNG).shape == (1, 32, 40, 3)
    assert tf.io.decode_png(GIF).shape == (32, 40, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Got 3 frames"):
        tf.io.decode_png(ANIMATED)
    with pytest.raises(tf.errors.InvalidArgumentError, match="channels must be 0 or 3 for GIF"):
        tf.io.decode_image(GIF, channels=1)


def test_bmp():
    np.testing.assert_array_equal(tf.io.decode_bmp(BMP).numpy(), RGB)
    assert tf.io.decode_bmp(BMP, channels=4).numpy()[..., 3].min() == 255
    np.testing.assert_array_equal(tf.io.decode_bmp(file(RGB[..., 0], "BMP")).numpy(), RGB[..., :1])
    for data, function, message in [
        (PNG, tf.io.decode_bmp, "Trying to decode PNG"), (BMP, tf.io.decode_png, "Trying to decode BMP"),
        (BMP[:-100], tf.io.decode_bmp, "rows"), (BMP[:30], tf.io.decode_bmp, "cut off"),
    ]:  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            function(data)


def test_webp():
    data = file(RGBA, "WEBP", lossless=True, exact=True)
    np.testing.assert_array_equal(tf.io.decode_webp(data).numpy(), RGBA[None])


# ---- any format


def test_any_format():
    for data, shape in [
        (JPEG, (32, 40, 3)),
        (PNG, (32, 40, 3)),
        (BMP, (32, 40, 3)),
        (ANIMATED, (3, 32, 40, 3)),
        (GIF, (1, 32, 40, 3)),
    ]:
        assert tf.io.decode_image(data).shape == shape
    assert tf.io.decode_image(ANIMATED, expand_animations=False).shape == (32, 40, 3)
    found = tf.io.decode_image(PNG, dtype=tf.float32)
    np.testing.assert_allclose(found.numpy(), RGB / 255, atol=1e-6)
    assert tf.io.decode_image(PNG, dtype=tf.int32).numpy()[0, 1, 0] == 50528256  # by way of 16 bits, as TensorFlow


@pytest.mark.parametrize(
    "data", [b"", b"hello world", PNG[:-60], PNG[:60] + b"\x00" + PNG[61:], GIF[:-100], JPEG[:400], BMP[:60]]
)
def test_damaged(data):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Unknown image file format|Invalid (PNG|GIF|JPEG|BMP) data, size"
    ):
        tf.io.decode_image(data)


def test_contents():
    with pytest.raises(tf.errors.InvalidArgumentError, match="`contents` must be scalar"):
        tf.io.decode_png([PNG])
    with pytest.raises(tf.errors.InvalidArgumentError, match="`channels` must be 0, 1, 3 or 4 but got 2"):
        tf.io.decode_png(PNG, channels=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
        tf.io.decode_png(PNG, dtype=tf.float32)


# ---- encoding


def test_jpeg_there_and_back():
    back = tf.io.decode_jpeg(tf.io.encode_jpeg(RGB, quality=95, chroma_downsampling=False)).numpy()
    assert abs(back.astype(int) - RGB).mean() < 4
    assert len(tf.io.encode_jpeg(RGB, quality=20).numpy()) < len(tf.io.encode_jpeg(RGB).numpy())
    assert tf.io.decode_jpeg(tf.io.encode_jpeg(RGB[..., :1])).shape == (32, 40, 1)


@pytest.mark.parametrize(
    "image, options, message",
    [
        (np.zeros([3, 3, 3], np.float32), {}, "uint8 tensor, got float32"),
        (np.zeros([3, 3, 4], np.uint8), {}, "1 or 3 channels"),
        (np.zeros([3, 3], np.uint8), {}, "3-dimensional"),
        (RGB, dict(quality=200), "quality must be in"),
        (RGB, dict(format="x"), "format='x'"),
        (RGB, dict(format="grayscale"), "expects 1 channels"),
    ],
)
def test_bad_jpeg(image, options, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.encode_jpeg(image, **options)


def test_bad_png():
    for shape, message in [((3, 3), "rank 3"), ((3, 3, 5), "channels, got 5"), ((0, 3, 1), "pixels")]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.encode_png(np.zeros(shape, np.uint8))


def test_quality():
    noisy = tf.image.adjust_jpeg_quality(RGB, 10)
    assert noisy.dtype == tf.uint8 and 1 < abs(noisy.numpy().astype(int) - RGB).mean() < 60
    one, two = (tf.image.stateless_random_jpeg_quality(RGB, 10, 90, seed=[3, 4]).numpy() for _ in range(2))
    np.testing.assert_array_equal(one, two)
    for low, high in [(60, 40), (-1, 40)]:
        with pytest.raises(ValueError, match=r"quality|range"):
            tf.image.random_jpeg_quality(RGB, low, high)


def test_in_a_function():
    @tf.function
    def load(data):
        return tf.image.resize(tf.image.decode_png(data, channels=3), [4, 4])

    assert load(tf.constant(PNG)).shape == (4, 4, 3)


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=re.escape(install("image"))):
        tf.io.decode_png(PNG)
