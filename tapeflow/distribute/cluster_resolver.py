"""`tf.distribute.cluster_resolver`: which machines there are."""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from tapeflow.api.config.devices import list_logical_devices

__all__ = [
    "ClusterResolver", "SimpleClusterResolver", "SlurmClusterResolver", "TFConfigClusterResolver",
    "TPUClusterResolver", "UnionResolver",
]  # fmt: skip


class ClusterSpec:
    """The addresses of the tasks of each job.

    Args:
        cluster: A dict from the names of jobs to lists of addresses, or to dicts of them by number; or a
            `ClusterSpec`.

    >>> spec = tf.train.ClusterSpec({"worker": ["host0:2222", "host1:2222"]})
    >>> spec.jobs, spec.num_tasks("worker"), spec.task_address("worker", 1)
    (['worker'], 2, 'host1:2222')
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster._tasks
        if not isinstance(cluster, Mapping):
            raise TypeError(
                f"`cluster` must be a dictionary of jobs and their addresses, or a ClusterSpec; got {cluster!r}."
            )
        numbered = lambda tasks: dict(tasks) if isinstance(tasks, Mapping) else dict(enumerate(tasks))
        self._tasks: dict[str, dict[int, str]] = {job: numbered(tasks) for job, tasks in cluster.items()}

    @property
    def jobs(self) -> list[str]:
        """Their names."""
        return list(self._tasks)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        Raises:
            ValueError: If there is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of its tasks.

        Raises:
            ValueError: If there is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Where one of them is.

        Raises:
            ValueError: If there is no such job or task.
        """
        try:
            return self._job(job_name)[task_index]
        except KeyError:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Where all of them are.

        Raises:
            ValueError: If there is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(k) for k in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """The jobs, with lists where tasks are numbered without gaps.

        Returns:
            A dict from names to lists, or to dicts by number.
        """
        dense = lambda tasks: (
            [tasks[k] for k in sorted(tasks)] if sorted(tasks) == list(range(len(tasks))) else dict(tasks)
        )
        return {job: dense(tasks) for job, tasks in self._tasks.items()}

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._tasks:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._tasks[name]

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __repr__(self) -> str:
        inside = ", ".join(f"{job!r}: {tasks!r}" for job, tasks in sorted(self.as_dict().items()))
        return f"ClusterSpec({{{inside}}})"


def others_in(spec: ClusterSpec) -> int:
    """How many tasks a cluster of several has; 0 if there is none besides this one."""
    count = sum(len(tasks) for tasks in spec._tasks.values())
    return count if count > 1 else 0


class ClusterResolver:
    """What knows the machines of a cluster; the base of the others.

    >>> from tapeflow.distribute.cluster_resolver import ClusterResolver, SimpleClusterResolver
    >>> issubclass(SimpleClusterResolver, ClusterResolver)
    True
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = ""

    def cluster_spec(self) -> ClusterSpec:
        """The machines."""
        return ClusterSpec({})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of the one that decides; this one is the empty text."""
        return ""

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """How many accelerators this machine has, by kind."""
        return {kind: len(found) for kind in ("GPU", "TPU") if (found := list_logical_devices(kind))}


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is known.

    Raises:
        TypeError: If `cluster_spec` is no `tf.train.ClusterSpec`.

    >>> cluster = tf.train.ClusterSpec({"worker": ["host0:2222"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=0)
    >>> resolver.cluster_spec().jobs
    ['worker']
    """

    def __init__(
        self, cluster_spec: Any, master: str = "", task_type: str | None = None, task_id: int | None = None,
        environment: str | None = "", num_accelerators: dict | None = None, rpc_layer: str | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError(
                f"cluster_spec must be a `tf.train.ClusterSpec`; got {cluster_spec!r}. Give "
                "tf.train.ClusterSpec(...) of it."
            )
        self._spec, self._master, self._accelerators = ClusterSpec(cluster_spec), master, num_accelerators
        self.task_type, self.task_id, self.environment, self.rpc_layer = task_type, task_id, environment, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return self._spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        if task_type is not None and task_id is not None:
            address, layer = self._spec.task_address(task_type, task_id), rpc_layer or self.rpc_layer
            return f"{layer}://{address}" if layer else address
        return self._master

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        return super().num_accelerators() if self._accelerators is None else self._accelerators


class TFConfigClusterResolver(SimpleClusterResolver):
    """The cluster that the environment variable TF_CONFIG describes.

    >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec()
    ClusterSpec({})
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        given = json.loads(os.environ.get("TF_CONFIG", "{}"))
        task = given.get("task", {})
        number = task.get("index") if task_id is None else task_id
        super().__init__(
            ClusterSpec(given.get("cluster", {})),
            task_type=task.get("type") if task_type is None else task_type,
            task_id=None if number is None else int(number),
            environment=given.get("environment") if environment is None else environment,
            rpc_layer=given.get("rpc_layer") if rpc_layer is None else rpc_layer,
        )

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        if not self._spec:
            return ""
        return super().master(
            self.task_type if task_type is None else task_type, self.task_id if task_id is None else task_id, rpc_layer
        )


class SlurmClusterResolver(SimpleClusterResolver):
    """The cluster of a step of Slurm: one task for each place in `jobs`, node by node.

    Args:
        jobs: How many tasks each job has, by name; None: `worker` has them all.
        port_base: The port of a node's first task; the next ones follow.
        gpus_per_node: Kept, and without effect.
        gpus_per_task: Kept, and without effect: give each task its own by Slurm, `srun --gpus-per-task=1`.
        tasks_per_node: How many a node has; None: Slurm's own number, SLURM_STEP_TASKS_PER_NODE.
        auto_set_gpu: Kept, and without effect.

    Raises:
        RuntimeError: If it is no step of Slurm, or has another number of tasks.

    >>> tf.distribute.cluster_resolver.SlurmClusterResolver()
    Traceback (most recent call last):
    RuntimeError: This is no step of Slurm: SLURM_PROCID is not set. Start the program by srun.
    """

    def __init__(
        self, jobs: Mapping[str, int] | None = None, port_base: int = 8888, gpus_per_node: int | None = None,
        gpus_per_task: int | None = None, tasks_per_node: Any = None, auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:  # fmt: skip
        said = lambda name: next(filter(None, [os.environ.get(f"SLURM_{each}") for each in name.split()]), None)
        number, nodes = said("PROCID"), said("STEP_NODELIST JOB_NODELIST")
        if number is None or nodes is None:
            raise RuntimeError("This is no step of Slurm: SLURM_PROCID is not set. Start the program by srun.")
        hosts = _nodes(nodes)
        each = _repeated(said("STEP_TASKS_PER_NODE TASKS_PER_NODE") or f"1(x{len(hosts)})")
        if tasks_per_node is not None:
            each = [tasks_per_node] * len(hosts) if isinstance(tasks_per_node, int) else list(tasks_per_node)
        places = [f"{host}:{port_base + k}" for host, count in zip(hosts, each) for k in range(count)]
        jobs = {"worker": len(places)} if jobs is None else jobs
        if sum(jobs.values()) != len(places):
            raise RuntimeError(f"Requested {sum(jobs.values())} tasks ({dict(jobs)}), but Slurm has {len(places)}.")
        rest, tasks = iter(places), []
        cluster = {job: [next(rest) for _ in range(count)] for job, count in jobs.items()}
        tasks = [(job, k) for job, count in jobs.items() for k in range(count)]
        kind, index = tasks[int(number)]
        super().__init__(ClusterSpec(cluster), task_type=kind, task_id=index)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The job of this task, and its number in it.

        Returns:
            A tuple of both.
        """
        return self.task_type, self.task_id


def _nodes(text: str) -> list[str]:
    """The hosts of "gpu[07-09,12],big1"."""
    found = []
    for stem, inside in re.findall(r"([^,\[]+)(?:\[([^\]]*)\])?", text):
        for part in inside.split(",") if inside else [""]:
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last) + 1) if last else None
            found += [stem + part] if numbers is None else [f"{stem}{n:0{len(first)}}" for n in numbers]
    return found


def _repeated(text: str) -> list[int]:
    """The numbers of "2(x3),1"."""
    return [int(n) for n, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text) for _ in range(int(times or 1))]


class UnionResolver(SimpleClusterResolver):
    """Several clusters as one; the first one says which task this is.

    >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    >>> tf.distribute.cluster_resolver.UnionResolver(resolver).cluster_spec()
    ClusterSpec({})
    """

    def __init__(self, *args: ClusterResolver, rpc_layer: str | None = None) -> None:
        cluster: dict[str, list] = {}
        for each in args:
            for job, tasks in each.cluster_spec().as_dict().items():
                cluster.setdefault(job, []).extend(tasks)
        first = args[0] if args else ClusterResolver()
        super().__init__(
            ClusterSpec(cluster), task_type=first.task_type, task_id=first.task_id,
            environment=first.environment, rpc_layer=rpc_layer or first.rpc_layer,
        )  # fmt: skip


class TPUClusterResolver(ClusterResolver):
    """A TPU. Where there is none it raises ValueError, as TensorFlow does, and programs go on without.

    >>> try:
    ...     tpu = tf.distribute.cluster_resolver.TPUClusterResolver()
    ... except ValueError as error:
    ...     print(error)
    Please provide a TPU Name to connect to. There is no TPU on this machine.
    """

    environment = "google"

    def __init__(
        self, tpu: str | None = None, zone: Any = None, project: Any = None, job_name: str = "worker",
        coordinator_name: Any = None, coordinator_address: Any = None, credentials: Any = "default",
        service: Any = None, discovery_url: Any = None,
    ) -> None:  # fmt: skip
        here = bool(list_logical_devices("TPU"))
        if not tpu and not here:
            raise ValueError("Please provide a TPU Name to connect to. There is no TPU on this machine.")
        if tpu and tpu != "local":
            raise ValueError(
                f"Could not lookup TPU {tpu!r}: tapeflow computes on this machine's TPU, tpu='local', if it has one."
            )
        self.task_type, self.task_id = job_name, 0

    @staticmethod
    def connect(tpu: str | None = None, zone: Any = None, project: Any = None) -> "TPUClusterResolver":
        """The resolver, with the TPU ready."""
        from .tpu import experimental

        resolver = TPUClusterResolver(tpu, zone, project)
        experimental.initialize_tpu_system(resolver)
        return resolver

    def get_master(self) -> str:
        """The address of the TPU's machine: this one."""
        return self.master()

    def get_job_name(self) -> str | None:
        """The job of the TPU's machines."""
        return self.task_type
