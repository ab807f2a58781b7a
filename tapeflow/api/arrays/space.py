"""`tf.nn.space_to_depth` and `tf.nn.depth_to_space`: blocks of space as channels and back; and `tf.nn.bias_add`."""

from typing import Any

from tapeflow.api.nn.layouts import channels_first, from_last, to_last
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import brackets
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, TensorLike


def space_to_depth(
    input: AnyTensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Each `block_size` x `block_size` block of pixels becomes the channels of one pixel.

    Args:
        block_size: How many pixels a block is wide and high.

    Raises:
        InvalidArgumentError: If the sizes are no multiples of it.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]
    """
    x, first, block = _arguments(input, block_size, data_format)
    n, h, w, c = x.sizes
    if h % block or w % block:
        raise invalid(f"height {h} and width {w} must be multiples of block_size {block}.")
    cells = ops.reshape(x, shape=(n, h // block, block, w // block, block, c))
    cells = ops.transpose(cells, perm=(0, 1, 3, 2, 4, 5))
    return from_last(ops.reshape(cells, shape=(n, h // block, w // block, block * block * c)), first)


def depth_to_space(
    input: AnyTensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The channels of each pixel become a `block_size` x `block_size` block of pixels.

    Args:
        block_size: How many pixels a block is wide and high.

    Raises:
        InvalidArgumentError: If the sizes are no multiples of it.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy()[0, :, :, 0]
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    x, first, block = _arguments(input, block_size, data_format)
    n, h, w, c = x.sizes
    if c % (block * block):
        raise invalid(f"the number of channels, {c}, must be a multiple of block_size squared, {block * block}.")
    inner = c // (block * block)
    cells = ops.transpose(ops.reshape(x, shape=(n, h, w, block, block, inner)), perm=(0, 1, 3, 2, 4, 5))
    return from_last(ops.reshape(cells, shape=(n, h * block, w * block, inner)), first)


def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """`value + bias`, one number for each channel: the last dimension, or the second if `data_format` begins with
    "NC".

    Args:
        bias: A number for each channel.

    Raises:
        InvalidArgumentError: If there are not as many numbers as channels.

    >>> tf.nn.bias_add([[1., 2.], [3., 4.]], [10., 20.]).numpy()
    array([[11., 22.],
           [13., 24.]], dtype=float32)
    """
    value = as_tensor(value)
    bias = as_tensor(bias)
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`, got {data_format!r}.")
    first = data_format is not None and data_format.startswith("NC") and value.ndim > 1
    if bias.ndim != 1 or value.ndim < 2 or bias.sizes[0] != value.sizes[1 if first else -1]:
        raise invalid(
            f"Must provide as many biases as the {'channels' if first else 'last dimension'} of the input tensor: "
            f"{brackets(bias.shape)} vs. {brackets(value.shape)}"
        )
    if first:
        bias = ops.reshape(bias, shape=(bias.sizes[0], *[1] * (value.ndim - 2)))
    return value + bias


def _arguments(input: Any, block_size: Any, data_format: str) -> tuple[Tensor, bool, int]:
    x = as_tensor(input)
    first = channels_first(data_format, 2)
    if x.ndim != 4:
        raise invalid(f"input must have rank 4, a batch of images with channels; got shape {tuple(x.shape)}.")
    if int(block_size) < 2:
        raise invalid(f"block_size must be at least 2, got {block_size}.")
    return to_last(x, first), first, int(block_size)
