"""`tf.compat.v1`: what programs for version 2 still use of version 1. All other names are those of `tf` itself."""

import logging as _logging
import sys as _sys
from types import SimpleNamespace
from typing import Any

from . import nest as _nest
from .gradient_registry import no_gradient
from .normalization import fused_batch_norm as _fused_batch_norm

__all__ = [
    "ConfigProto", "Dimension", "InteractiveSession", "NotDifferentiable", "Session", "assign", "assign_add", "assign_sub",
    "disable_v2_behavior", "enable_eager_execution", "enable_v2_behavior", "global_variables_initializer", "logging", "nn",
    "set_random_seed", "variables_initializer",
]  # fmt: skip

nn = SimpleNamespace(fused_batch_norm=_fused_batch_norm)


def __getattr__(name: str) -> Any:
    found = getattr(_sys.modules["tapeflow"], name, None) if not name.startswith("_") else None
    if found is None:
        raise AttributeError(f"module 'tf.compat.v1' has no attribute {name!r}: use what TensorFlow 2 has in its place.")
    return found


def NotDifferentiable(op_type: str) -> None:
    """The same as `tf.no_gradient`.

    >>> tf.compat.v1.NotDifferentiable("DocsOldCounter")
    """
    no_gradient(op_type)


class Dimension:
    """One size of a shape, which may be unknown.

    >>> d = tf.compat.v1.Dimension(3)
    >>> d.value, int(d + 1), d == 3
    (3, 4, True)
    """

    def __init__(self, value: Any) -> None:
        self._value = value.value if isinstance(value, Dimension) else None if value is None else int(value)
        if self._value is not None and self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    value = property(lambda self: self._value, doc="The size, or None.")

    def _with(self, other: Any, function: Any) -> "Dimension":
        other = Dimension(other)._value
        return Dimension(None if self._value is None or other is None else function(self._value, other))

    def __add__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a * b)

    def __floordiv__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a // b)

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: Any) -> Any:
        try:
            other = Dimension(other)._value
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other is None else self._value == other

    def __hash__(self) -> int:
        return hash(self._value)

    def __int__(self) -> int:
        return self._value

    def __index__(self) -> int:
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


# ---- variables


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """`ref.assign(value)`.

    >>> v = tf.Variable(1.)
    >>> tf.compat.v1.assign(v, 5.).numpy()
    np.float32(5.0)
    """
    return ref.assign(value)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """`ref.assign_add(value)`.

    >>> tf.compat.v1.assign_add(tf.Variable(1.), 2.).numpy()
    np.float32(3.0)
    """
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """`ref.assign_sub(value)`.

    >>> tf.compat.v1.assign_sub(tf.Variable(1.), 2.).numpy()
    np.float32(-1.0)
    """
    return ref.assign_sub(value)


def global_variables_initializer() -> None:
    """Nothing: variables have their values from the moment they are made.

    >>> tf.compat.v1.global_variables_initializer()
    """


def variables_initializer(var_list: Any, name: str = "init") -> None:
    """Nothing: variables have their values from the moment they are made.

    >>> tf.compat.v1.variables_initializer([tf.Variable(1.)])
    """


# ---- mode


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Nothing: operations are eager.

    >>> tf.compat.v1.enable_eager_execution()
    """


def enable_v2_behavior() -> None:
    """Nothing: this is version 2.

    >>> tf.compat.v1.enable_v2_behavior()
    """


def disable_v2_behavior() -> None:
    """Raises RuntimeError: there is no version 1 behaviour to go back to.

    >>> tf.compat.v1.disable_v2_behavior()
    Traceback (most recent call last):
    RuntimeError: TensorFlow 1 behaviour (graphs and sessions) is not available.
    """
    raise RuntimeError("TensorFlow 1 behaviour (graphs and sessions) is not available.")


def set_random_seed(seed: int) -> None:
    """The same as `tf.random.set_seed`.

    >>> tf.compat.v1.set_random_seed(1)
    """
    _sys.modules["tapeflow"].random.set_seed(seed)


# ---- sessions, which programs make for the sake of their settings


class ConfigProto:
    """Settings of a session: any field can be set and read, also inside `gpu_options` and `graph_options`.

    >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    >>> config.allow_soft_placement, config.gpu_options.allow_growth
    (True, True)
    """

    def __init__(self, **fields: Any) -> None:
        self.gpu_options, self.graph_options = SimpleNamespace(), SimpleNamespace()
        self.__dict__.update(fields)


class Session:
    """Keeps settings, and gives the values of tensors that have been computed already.

    >>> with tf.compat.v1.Session() as session:
    ...     session.run({"y": tf.constant(2.) * 3.})
    {'y': np.float32(6.0)}
    """

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        self.config = config

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The values of `fetches` as NumPy arrays. Nothing can be fed: there is no graph."""
        if feed_dict:
            raise RuntimeError("A session here has no graph to feed values to; call the function with them.")
        return _nest.map_structure(lambda leaf: leaf.numpy() if hasattr(leaf, "numpy") else leaf, fetches)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class InteractiveSession(Session):
    """A session that needs no `with`.

    >>> tf.compat.v1.InteractiveSession(config=tf.compat.v1.ConfigProto()).run(tf.constant(1))
    np.int32(1)
    """


# ---- the log

_logger = _logging.getLogger("tapeflow")
logging = SimpleNamespace(
    DEBUG=_logging.DEBUG, INFO=_logging.INFO, WARN=_logging.WARNING, ERROR=_logging.ERROR, FATAL=_logging.CRITICAL,
    debug=_logger.debug, info=_logger.info, warn=_logger.warning, warning=_logger.warning, error=_logger.error, fatal=_logger.critical,
    set_verbosity=_logger.setLevel, get_verbosity=_logger.getEffectiveLevel,
)  # fmt: skip
