"""`tf.raw_ops`: operations under the names of TensorFlow's C++ layer, by keyword only. `dir(tf.raw_ops)` lists them.

>>> tf.raw_ops.Mul(x=tf.constant(3.), y=2.).numpy()
np.float32(6.0)
>>> tf.raw_ops.Sum(input=[[1, 2], [3, 4]], axis=0).numpy()
array([4, 6], dtype=int32)
"""

import functools as _functools
import inspect as _inspect
import typing as _typing

from tapeflow.api.raw_ops import OPS as _OPS


@_functools.cache
def __getattr__(name: str) -> _typing.Callable:
    if name not in _OPS:
        raise AttributeError(
            f"module 'tf.raw_ops' has no attribute {name!r}. It has {len(_OPS)} operations: dir(tf.raw_ops)."
        )
    function = _OPS[name]
    known = [p.replace(kind=p.KEYWORD_ONLY) for p in _inspect.signature(function).parameters.values()]
    names = [p.name for p in known]

    def raw(*args: _typing.Any, name: str | None = None, **kwargs: _typing.Any) -> _typing.Any:
        if args:
            raise TypeError(
                f"{raw.__name__} only takes keyword args (possible keys: {[*names, 'name']}). Please pass these args "
                "as kwargs instead."
            )
        return function(**kwargs)

    raw.__name__ = raw.__qualname__ = name
    raw.__doc__ = f"""The operation {name}, by keyword: {", ".join(names) or "no arguments"}.

    Returns:
        What the public function of this meaning gives: a tensor, or several.
    """
    raw.__signature__ = _inspect.Signature(
        [*known, _inspect.Parameter("name", _inspect.Parameter.KEYWORD_ONLY, default=None)]
    )
    return raw


def __dir__() -> list[str]:
    return sorted(_OPS)
