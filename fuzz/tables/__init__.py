"""Which kinds of arguments each public function takes, where its signature alone does not say so.

An entry is {parameter: kind}; `_dtypes`, `_shapes` and `_fills` say what a call's tensors are drawn from, and `_call`
makes the whole call. Most functions need none: `x` is a tensor, `axis` an axis of it, `keepdims` a flag.
"""

from . import arrays, composites, draws, images, linear, mathematics, networks, numpy, signals, texts
from .common import NAMES, OUT_OF_SCOPE as OUT_OF_SCOPE, SPACES

_ENTRIES = {}
for _module in (arrays, composites, draws, images, linear, mathematics, networks, numpy, signals, texts):
    assert not _ENTRIES.keys() & _module.TABLE.keys(), f"described twice: {_ENTRIES.keys() & _module.TABLE.keys()}"
    _ENTRIES |= _module.TABLE


def entry(name):
    return _ENTRIES.get(name, {})


def profile(name):
    return SPACES.get(space(name), {}).get("_profile", {})


def by_name(name, parameter):
    """What a parameter of this name takes: in this namespace, or anywhere."""
    return SPACES.get(space(name), {}).get(parameter) or NAMES.get(parameter)


def described():
    return _ENTRIES.keys()


def space(name):
    return name.rpartition(".")[0]
