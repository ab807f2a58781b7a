"""Small functions of private modules: contexts, conditions, decorators, loops that are maps."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import tapeflow as tf
from tapeflow.core.frames import current, unobserved
from tapeflow.core.runtime.scopes import scope
from tapeflow.tape.recording import Pause

TRUE = True


def true(*_: Any, **__: Any) -> bool:
    """What is always so here."""
    return True


def false(*_: Any, **__: Any) -> bool:
    """What never is."""
    return False


def nothing(*_: Any, **__: Any) -> None:
    """What need not be done."""


def same(value: Any) -> Any:
    """A wrapper that wraps nothing."""
    return value


def unchanged(decorated: Any = None, *_: Any, **__: Any) -> Any:
    """A decorator that changes nothing."""
    return decorated


def plain_decorator(*_: Any, **__: Any) -> Callable[[Any], Any]:
    """A decorator with arguments that changes nothing: exports and deprecations concern TensorFlow itself."""
    return lambda decorated: decorated


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """What it was called before."""
    return func_or_class


def make_decorator(target: Any, decorator_func: Any, *_: Any, **__: Any) -> Any:
    """A decorator that shows what it decorates."""
    return functools.wraps(target)(decorator_func)


def unwrap(maybe_decorated: Any) -> tuple[list, Any]:
    """(The decorators, what they decorate)."""
    return [], inspect.unwrap(maybe_decorated)


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices of this machine, each with a `name`, a `device_type` and a `memory_limit`."""
    describe = lambda device: dict(
        name=device.name, device_type=device.device_type, memory_limit=268435456, physical_device_desc=""
    )
    return [SimpleNamespace(**describe(device)) for device in tf.config.list_logical_devices()]


def num_gpus() -> int:
    """How many accelerators there are."""
    return len(tf.config.list_logical_devices("GPU"))


class Context:
    """What programs ask of `context.context()`: how operations run now, where, and on which devices they could."""

    is_async = False
    execution_mode = 0
    log_device_placement = False
    invoking_op_callbacks = False

    executing_eagerly = staticmethod(tf.executing_eagerly)
    num_gpus = staticmethod(num_gpus)
    list_logical_devices = staticmethod(tf.config.list_logical_devices)
    list_physical_devices = staticmethod(tf.config.list_physical_devices)
    ensure_initialized = ensure_uninitialized = clear_kernel_cache = staticmethod(nothing)
    sync_executors = clear_executor_errors = staticmethod(nothing)
    device = staticmethod(tf.device)

    @property
    def device_name(self) -> str:
        """Of the device that an open `tf.device` names; empty without one."""
        device = current().device
        return "" if device is None else tf.zeros([]).device

    @property
    def device_spec(self) -> Any:
        """The same in parts."""
        return tf.DeviceSpec.from_string(self.device_name)

    @property
    def scope_name(self) -> str:
        """The name scopes that are open, with a slash at the end."""
        return f"{scope.get()}/" if scope.get() else ""

    @property
    def soft_device_placement(self) -> bool:
        """Whether a device that is not there means another one."""
        return tf.config.get_soft_device_placement()

    def devices(self) -> list[str]:
        """The names of the devices."""
        return [device.name for device in tf.config.list_logical_devices()]


_CONTEXT = Context()


def context() -> Context:
    """The one context there is."""
    return _CONTEXT


def get_name_scope() -> str:
    """The name scopes that are open."""
    return scope.get() or ""


def is_recorded(tensors: Any) -> bool:
    """Does a tape, or a forward accumulator, watch one of these tensors?"""
    serials = {tensor.serial for tensor in tensors}
    recording = [o for o in current().observers if o.differentiates and not isinstance(o, Pause)]
    return any(serial in observer.watched for observer in recording for serial in serials)


@contextlib.contextmanager
def stop_recording() -> Iterator[None]:
    """No tape records."""
    with unobserved():
        yield


def smart_cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """`tf.cond`, and a plain choice where the predicate is known."""
    known = tf.get_static_value(pred) if tf.is_tensor(pred) else pred
    return tf.cond(pred, true_fn, false_fn) if known is None else true_fn() if known else false_fn()


def case_helper(
    cond_fn: Any, pred_fn_pairs: Any, default: Any, exclusive: bool, name: str | None,
    allow_python_preds: bool = False, **cond_kwargs: Any,
) -> Any:  # fmt: skip
    """`tf.case` by a function of one's own for the conditions."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]
    for pred, fn in reversed(pairs):
        default = functools.partial(cond_fn, pred, fn, default, **cond_kwargs)
    return default()


def pfor(loop_fn: Callable, iters: Any, fallback_to_while_loop: bool = True, **_: Any) -> Any:
    """`loop_fn` of 0, 1, …, `iters` - 1, all at once, stacked."""
    return tf.vectorized_map(loop_fn, tf.range(iters), fallback_to_while_loop)


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """The same value; a gradient through it is a LookupError."""
    return tf.raw_ops.PreventGradient(input=input, message=message)  # type: ignore[attr-defined]


def is_variable(var: Any) -> bool:
    """Is it a variable?"""
    return isinstance(var, tf.Variable)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Weights with the shape of the values."""
    values = tf.convert_to_tensor(values)
    return tf.broadcast_to(tf.cast(weights, values.dtype), tf.shape(values))


def sticky(trackable: Any, name: str, value: Any) -> Any:
    """What an attribute is set to."""
    return value


def assign_moving_average(
    variable: Any, value: Any, decay: float, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Moves a variable towards a value: `variable - (1 - decay) * (variable - value)`, without the correction for its
    start."""
    return variable.assign_sub((variable - value) * (1 - decay))


def parameterized_truncated_normal(
    shape: Any, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0, maxvals: Any = 2.0, dtype: Any = tf.float32,
    seed: int | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Normal numbers between bounds, each with its own parameters."""
    seeds = tf.random.uniform([2], tf.int32.min, tf.int32.max, tf.int32, seed)
    parameters = [tf.cast(value, dtype) for value in (means, stddevs, minvals, maxvals)]
    mean, deviation, low, high = parameters
    return tf.random.stateless_parameterized_truncated_normal(shape, seeds, mean, deviation, low, high)
