"""`tf.config`: how functions run, and on which machines."""

from typing import Any

from tapeflow.core.errors import UnimplementedError
from tapeflow.core.runtime import settings as _settings

__all__ = [
    "experimental_connect_to_cluster", "experimental_connect_to_host", "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly", "functions_run_eagerly", "run_functions_eagerly",
]  # fmt: skip


# ---- how functions run


def run_functions_eagerly(run_eagerly: bool) -> None:
    """With True the body of a `tf.function` runs as plain Python at every call, for debugging.

    Args:
        run_eagerly: Run as plain Python.

    >>> tf.config.run_functions_eagerly(False)
    """
    _settings.functions_run_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` was last given.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return _settings.functions_run_eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


# ---- other machines


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any, job_name: str = "localhost", task_index: int = 0, protocol: str | None = None,
    make_master_device_default: bool = True, cluster_device_filters: Any = None,
) -> None:  # fmt: skip
    """Connects to the machines of a cluster: nothing to do for one without others, and an error if there are some.

    Args:
        cluster_spec_or_resolver: A `tf.train.ClusterSpec`, or what has one.
        job_name: Which group of processes this one belongs to.
        task_index: Its number in it.
        protocol: Taken and not used.
        make_master_device_default: Taken and not used.
        cluster_device_filters: Taken and not used.

    Raises:
        UnimplementedError: If there are other machines.

    >>> tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({}))
    """
    found = cluster_spec_or_resolver
    jobs = (found.cluster_spec() if hasattr(found, "cluster_spec") else found).as_dict()
    others = [address for job, tasks in jobs.items() for address in tasks if job != job_name]
    if others:
        raise UnimplementedError(
            None, None, f"tapeflow computes on this machine, and cannot connect to {', '.join(map(str, others))}."
        )


def experimental_connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Connects to one other machine, which tapeflow does not do.

    Args:
        remote_host: The name of a machine, or several.
        job_name: Taken and not used.

    Raises:
        UnimplementedError: Always.
        ValueError: If no host is given.

    >>> tf.config.experimental_connect_to_host()
    Traceback (most recent call last):
    ValueError: Must provide at least one remote_host
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    raise UnimplementedError(None, None, f"tapeflow computes on this machine, and cannot connect to {remote_host}.")
