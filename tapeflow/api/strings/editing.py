"""Strings one at a time, joined, split, and made of numbers and back."""

from typing import Any, overload

import numpy as np

from tapeflow.api.arguments import one_axis
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.strings.formatting import tensor_text
from tapeflow.api.strings.host import one_string
from tapeflow.api.strings.ngrams import ragged_reduce_join
from tapeflow.api.strings.unicode import ragged_from
from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike, TensorLike, TextLike

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_number",
    "upper",
]


def _one_of(value: Any, allowed: tuple, what: str) -> Any:
    if value not in allowed:
        raise invalid(f"{what}={value!r} is not one of {', '.join(map(repr, allowed))}.")
    return value


# ---- one string at a time


def lower(input: TextLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Lower case: of ASCII letters only, or of all letters with `encoding="utf-8"`.

    >>> tf.strings.lower(["Ångström"]).numpy()[0].decode(), tf.strings.lower(["Ångström"], "utf-8").numpy()[0].decode()
    ('Ångström', 'ångström')
    """
    return ops.string_lower(input, encoding=_one_of(encoding, ("", "utf-8"), "encoding"))


def upper(input: TextLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Upper case: of ASCII letters only, or of all letters with `encoding="utf-8"`.

    >>> tf.strings.upper("tape").numpy()
    b'TAPE'
    """
    return ops.string_upper(input, encoding=_one_of(encoding, ("", "utf-8"), "encoding"))


def strip(input: TextLike, name: str | None = None) -> Tensor:
    """Without white space at both ends.

    >>> tf.strings.strip(["  a b ", "c\\n"]).numpy()
    array([b'a b', b'c'], dtype=object)
    """
    return ops.string_strip(input)


def length(input: TextLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes, or of characters with `unit="UTF8_CHAR"`.

    >>> tf.strings.length("naïve").numpy(), tf.strings.length("naïve", "UTF8_CHAR").numpy()
    (np.int32(6), np.int32(5))
    """
    return ops.string_length(input, unit=_one_of(unit, ("BYTE", "UTF8_CHAR"), "unit"))


def substr(input: TextLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """`len` bytes (or characters) from `pos`, which counts from the end when negative; a shorter string gives what it
    has.

    Args:
        pos: Where to begin: a scalar, or a number for each string.
        len: How many: of the shape of `pos`.

    Raises:
        InvalidArgumentError: If a `pos` lies outside of its string.

    >>> tf.strings.substr(["gradient", "tape"], [0, -2], [4, 9]).numpy()
    array([b'grad', b'pe'], dtype=object)
    """
    pos, len = as_tensor(pos), as_tensor(len)
    if tuple(pos.sizes) != tuple(len.sizes):
        raise invalid(f"pos and len should have the same shape, got: {tuple(pos.shape)} vs. {tuple(len.shape)}.")
    return ops.substr(input, pos, len, unit=_one_of(unit, ("BYTE", "UTF8_CHAR"), "unit"))


def regex_replace(
    input: TextLike, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    """Every match of `pattern` (or only the first) written anew: `\\\\1` in `rewrite` is the first group, `\\\\0` the
    match.

    Args:
        rewrite: What to put in the place of a match.
        replace_global: False replaces the first match only.

    Raises:
        InvalidArgumentError: If the pattern is no regular expression.

    >>> tf.strings.regex_replace("step=12 loss=3", r"(\\w+)=(\\d+)", r"\\2 \\1").numpy()
    b'12 step 3 loss'
    """
    return ops.regex_replace(input, pattern=_bytes(pattern), rewrite=_bytes(rewrite), replace_global=replace_global)


def regex_full_match(input: TextLike, pattern: Any, name: str | None = None) -> Tensor:
    """Whether the whole string matches `pattern`.

    Raises:
        InvalidArgumentError: If the pattern is no regular expression.

    >>> tf.strings.regex_full_match(["epoch-3", "epoch"], r"epoch-\\d+").numpy()
    array([ True, False])
    """
    return ops.regex_full_match(input, pattern=_bytes(pattern))


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else one_string(value, "`pattern`")


# ---- joining and splitting


def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors of one shape (or scalars), joined element by element.

    Args:
        inputs: A list of tensors of strings.

    >>> tf.strings.join([["a", "b"], "-", ["1", "2"]]).numpy()
    array([b'a-1', b'b-2'], dtype=object)
    """
    if not inputs:
        return as_tensor("")
    return ops.string_join(*[as_tensor(x) for x in inputs], separator=_bytes(separator))


def reduce_join(
    inputs: TextLike, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings along `axis` joined to one; several axes one after the other, in the order given.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="+").numpy()
    array([b'a+b', b'c+d'], dtype=object)
    """
    if isinstance(inputs, RaggedTensor):
        return ragged_reduce_join(inputs, axis, keepdims, _bytes(separator))
    inputs = as_tensor(inputs)
    rank = len(inputs.sizes)
    axes = range(rank)[::-1] if axis is None else np.ravel(as_tensor(axis).array).tolist()
    return ops.string_reduce_join(
        inputs, axis=tuple(one_axis(a, rank) for a in axes), keepdims=bool(keepdims), separator=_bytes(separator)
    )


@overload
def split(input: str | bytes, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Tensor: ...
@overload
def split(input: list[Any], sep: Any = None, maxsplit: int = -1, name: str | None = None) -> RaggedTensor: ...
@overload
def split(input: TextLike, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any: ...
def split(input: TextLike, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of each string between `sep` (any run of white space by default): ragged, or a vector for one string.

    Args:
        sep: What is between the parts; None: white space.
        maxsplit: How often to split at most; -1: as often as it comes.

    Returns:
        Strings: a `tf.RaggedTensor` with one axis more; a vector for one string.

    >>> tf.strings.split(["to be", "or not to be"])
    <tf.RaggedTensor [[b'to', b'be'], [b'or', b'not', b'to', b'be']]>
    >>> tf.strings.split("a,b,,c", sep=",").numpy()
    array([b'a', b'b', b'', b'c'], dtype=object)
    """
    sep = None if sep is None else _bytes(sep)
    return ragged_from(input, "words", sep, int(maxsplit))


@overload
def bytes_split(input: str | bytes, name: str | None = None) -> Tensor: ...
@overload
def bytes_split(input: list[Any], name: str | None = None) -> RaggedTensor: ...
@overload
def bytes_split(input: TextLike, name: str | None = None) -> Any: ...
def bytes_split(input: TextLike, name: str | None = None) -> Any:
    """Each string as its single bytes: ragged, or a vector for one string.

    Returns:
        Strings: a `tf.RaggedTensor` with one axis more; a vector for one string.

    >>> tf.strings.bytes_split(["ab", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    return ragged_from(input, "bytes")


# ---- numbers and back


def as_string(
    input: AnyTensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers as text: with `precision` digits after the point, padded to `width` with spaces or zeros (`fill="0"`).

    Args:
        precision: How many digits after the point; -1: six.
        scientific: Write a power of ten.
        shortest: Write the shorter of both forms.
        width: The least length, filled up on the left; -1: none.
        fill: What it is filled up with: a space, 0, + or -.

    Raises:
        InvalidArgumentError: If both `scientific` and `shortest` are asked for, or `fill` is something else.

    >>> tf.as_string([3.14159, -1.]).numpy()
    array([b'3.141590', b'-1.000000'], dtype=object)
    >>> tf.as_string([7, 42], width=4, fill="0").numpy()
    array([b'0007', b'0042'], dtype=object)
    """
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation; choose one.")
    if fill not in ("", " ", "0", "+", "-"):
        raise invalid(f"Fill argument not supported: {fill!r}. It is one of '', ' ', '0', '+' and '-'.")
    return ops.as_string(input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill)


def to_number(input: TextLike, out_type: DTypeLike = float32, name: str | None = None) -> Tensor:
    """The numbers that strings spell.

    >>> tf.strings.to_number(["1.5", "-20", "inf"]).numpy()
    array([  1.5, -20. ,   inf], dtype=float32)
    """
    dtype = as_dtype(out_type)
    return ops.string_to_number(input, dtype=np.dtype(_one_of(dtype.name, _NUMBER_TYPES, "out_type")))


_NUMBER_TYPES = ("float32", "float64", "int32", "int64", "uint32", "uint64")


def format(template: Any, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Tensor:
    """`template` with each placeholder replaced by a tensor, of which at most `2 * summarize` entries an axis are
    shown.

    Args:
        template: The text, a Python string.
        inputs: A tensor, or a list of them.
        placeholder: What stands in the template for a tensor.
        summarize: How many entries are shown at each end of an axis; -1: all.

    Raises:
        ValueError: If there are more placeholders than tensors, or fewer.

    >>> tf.strings.format("loss {} at {}", (tf.constant(0.5), tf.range(9))).numpy()
    b'loss 0.5 at [0 1 2 ... 6 7 8]'
    """
    tensors = [as_tensor(x) for x in (nest.flatten(inputs) if isinstance(inputs, (list, tuple)) else [inputs])]
    pieces = template.split(placeholder)
    if len(pieces) - 1 != len(tensors):
        raise ValueError(
            f"The template expects {len(pieces) - 1} tensors, but the inputs only has {len(tensors)}. "
            "Give one tensor for each placeholder."
        )
    texts = [tensor_text(t.array, summarize) for t in tensors]
    return as_tensor(pieces[0] + "".join(text + piece for text, piece in zip(texts, pieces[1:])))
