"""Windows that slide over the dimensions of an array: the geometry that convolution and pooling share.

`window`, `strides` and `dilations` hold one number per dimension, `padding` one pair (before, after).
"""

from itertools import product

from tapeflow.core.errors import invalid


def reach(window, dilations):
    """How far a window with gaps extends."""
    return tuple([(k - 1) * d + 1 for k, d in zip(window, dilations)])


def output_size(size, window, strides, dilations):
    """How many positions the window has along each dimension; None where the size is not known."""
    if 0 in window:
        raise invalid(
            "filter must not have zero elements (i.e. all dimensions must be non-zero), got a window of "
            f"{tuple(window)}."
        )
    extent = reach(window, dilations)
    out = tuple([None if n is None else (n - k) // s + 1 for n, k, s in zip(size, extent, strides)])
    if any(n is not None and n < 0 for n in out):
        raise invalid(f"a window of size {extent} does not fit into {tuple(size)} (padding included).")
    return out


def positions(window, count, strides, dilations):
    """(offset in the window, index of what is seen through it at all `count` positions), in row-major order."""
    for offset in product(*map(range, window)):
        yield (
            offset,
            tuple(
                [
                    slice(o * d, o * d + (n - 1) * s + 1 if n else o * d, s)
                    for o, n, s, d in zip(offset, count, strides, dilations)
                ]
            ),
        )


def same_padding(size, window, strides, dilations):
    """The padding that leaves ceil(size / stride) positions; an odd one goes to the end."""
    total = [max((-(-n // s) - 1) * s + k - n, 0) for n, s, k in zip(size, strides, reach(window, dilations))]
    return tuple([(t // 2, t - t // 2) for t in total])
