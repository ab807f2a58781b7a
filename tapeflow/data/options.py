"""`tf.data.Options`: how a pipeline should run. Everything can be said; what there is nothing to choose about has no
effect."""

import enum
from typing import Any, ClassVar


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers; there is one worker.

    >>> tf.data.experimental.AutoShardPolicy.OFF.name
    'OFF'
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    """How AUTOTUNE finds its numbers; ours measures the first calls, whatever is chosen.

    >>> tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB.name
    'HILL_CLIMB'
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    """What to do about state outside the dataset when an iterator is saved.

    >>> tf.data.experimental.ExternalStatePolicy.WARN.name
    'WARN'
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Settings:
    """Named settings, None (or a default) until they are set. A name that does not exist is an error: it would be
    ignored otherwise."""

    _names: tuple[str, ...] = ()
    _groups: ClassVar[dict[str, type["_Settings"]]] = {}
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, self._defaults.get(name))
        for name, group in self._groups.items():
            object.__setattr__(self, name, group())

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names and name not in self._groups:
            known = ", ".join((*self._names, *self._groups))
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}: it has {known}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def _merged(self, other: Any) -> Any:
        made = type(self)()
        for name in self._names:
            given = getattr(other, name)
            object.__setattr__(made, name, getattr(self, name) if given is self._defaults.get(name) else given)
        for name in self._groups:
            object.__setattr__(made, name, getattr(self, name)._merged(getattr(other, name)))
        return made


class AutotuneOptions(_Settings):
    """The `autotune` part of options.

    >>> tf.data.experimental.AutotuneOptions().enabled is None
    True
    """

    _names = ("autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism", "min_parallelism", "ram_budget")


class DistributeOptions(_Settings):
    """The `experimental_distribute` part of options.

    >>> options = tf.data.Options()
    >>> options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    """

    _names = ("auto_shard_policy", "num_devices")
    _defaults: ClassVar = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(_Settings):
    """The `experimental_optimization` part of options.

    >>> tf.data.experimental.OptimizationOptions().map_fusion is None
    True
    """

    _names = (
        "apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch",
        "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination",
        "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion",
    )  # fmt: skip


class ServiceOptions(_Settings):
    """The `experimental_service` part of options.

    >>> tf.data.experimental.ServiceOptions().pinned is None
    True
    """

    _names = ("pinned",)


class ThreadingOptions(_Settings):
    """The `threading` part of options.

    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 4
    """

    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class Options(_Settings):
    """How a dataset should run, for `dataset.with_options`.

    `deterministic=False` lets parallel `map` give elements as they are ready; the other options are accepted.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _names = (
        "dataset_name", "deterministic", "experimental_deterministic", "experimental_external_state_policy",
        "experimental_slack", "experimental_symbolic_checkpoint", "experimental_warm_start", "framework_type",
    )  # fmt: skip
    _groups: ClassVar = {
        "autotune": AutotuneOptions,
        "experimental_distribute": DistributeOptions,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_threading": ThreadingOptions,
        "threading": ThreadingOptions,
    }

    def merge(self, options: "Options") -> "Options":
        """These options, and over them what the others have set.

        Args:
            options: The `tf.data.Options` that go before these.
        """
        return self._merged(options)

    def __repr__(self) -> str:
        given = {name: value for name, value in vars(self).items() if name in self._names and value is not None}
        return f"tf.data.Options({', '.join(f'{name}={value!r}' for name, value in given.items())})"
