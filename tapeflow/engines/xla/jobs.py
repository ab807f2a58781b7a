"""What launchers say of the processes of a cluster, in the environment: how many there are, where they meet, and which
one this is."""

import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple


class Job(NamedTuple):
    """The processes of a cluster: the address of the first one, how many there are, and which this one is."""

    address: str
    size: int
    number: int
    workers: tuple[str, ...] = ()  # what each is called, if that is known
    local: int | None = None  # which this one is on its machine: it takes one accelerator


def described(environment: Mapping[str, str] = os.environ) -> Job | None:
    """The job that a launcher has described: by TF_CONFIG, for Kubernetes' indexed jobs, Slurm or Open MPI; None for a
    process alone."""
    for read in (_by_tf_config, _by_kubernetes, _by_slurm, _by_open_mpi):
        job = read(environment)
        if job is not None and job.size > 1:
            return job
    return None


def _by_tf_config(environment: Mapping[str, str]) -> Job | None:
    given = json.loads(environment.get("TF_CONFIG") or "{}")
    cluster, task = given.get("cluster", {}), given.get("task", {})
    return of_cluster(cluster, task.get("type"), int(task.get("index", 0)))


def of_cluster(cluster: Mapping[str, Any], kind: str | None, index: int) -> Job | None:
    """The job of a task of a cluster, as TensorFlow describes them: the chief, then workers."""
    tasks = [(job, k, address) for job in ("chief", "worker") for k, address in enumerate(cluster.get(job, []))]
    if not tasks or kind is None:
        return None
    numbers = [n for n, (job, k, _) in enumerate(tasks) if (job, k) == (kind, index)]
    if not numbers:
        names = [f"{job} {k}" for job, k, _ in tasks]
        raise ValueError(f"The cluster has no task {kind} {index}; it has {names}.")
    workers = tuple([f"{job} {k} ({address})" for job, k, address in tasks])
    return Job(tasks[0][2], len(tasks), numbers[0], workers)


def _by_kubernetes(environment: Mapping[str, str]) -> Job | None:
    """An indexed job knows its number; how many there are, and the first one's address, the manifest says."""
    number, count = environment.get("JOB_COMPLETION_INDEX"), environment.get("TAPEFLOW_WORKERS")
    address = environment.get("JAX_COORDINATOR_ADDRESS")
    if number is None or count is None:
        return None
    if address is None:
        raise ValueError(
            "TAPEFLOW_WORKERS and JOB_COMPLETION_INDEX are set, and JAX_COORDINATOR_ADDRESS is not: give it the "
            "address of pod 0 and a port, such as train-0.train:1234."
        )
    return Job(_with_port(address, environment), int(count), int(number))


def _by_slurm(environment: Mapping[str, str]) -> Job | None:
    """A task of `srun`. A batch script that starts a program by itself, without `srun`, has one process."""
    count = environment.get("SLURM_STEP_NUM_TASKS") or environment.get("SLURM_NTASKS")
    nodes = environment.get("SLURM_STEP_NODELIST")
    if count is None or nodes is None or "SLURM_PROCID" not in environment:
        return None
    first = re.match(r"([^\[,]+)(?:\[(\d+))?", nodes)  # "gpu[07-09,12],big1"
    if first is None:
        return None
    port = 61440 + int(environment.get("SLURM_JOB_ID", 0)) % 4096  # one that each finds by itself
    host = first[1] + (first[2] or "")
    return Job(_given(environment) or f"{host}:{port}", int(count), int(environment["SLURM_PROCID"]), (),
               _local(environment, "SLURM_LOCALID"))  # fmt: skip


def _by_open_mpi(environment: Mapping[str, str]) -> Job | None:
    """A process of `mpirun`, which names itself. (PMIX_SERVER_URI2 is of each machine's own daemon.)"""
    count, number = environment.get("OMPI_COMM_WORLD_SIZE"), environment.get("OMPI_COMM_WORLD_RANK")
    uri = environment.get("OMPI_MCA_orte_hnp_uri") or environment.get("PMIX_SERVER_URI2")
    if count is None or number is None:
        return None
    # "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911", "prterun-host-17@0.0;tcp4://127.0.0.1:53991"
    found = re.search(r"(\d+)[@.\d]*;tcp4?://(.+?)[,:]", uri or "")
    alone = environment.get("OMPI_COMM_WORLD_LOCAL_SIZE") == count  # all on this machine
    address = _given(environment)
    if address is None and found is not None and (alone or not found[2].startswith("127.")):
        address = f"{'127.0.0.1' if alone else found[2]}:{61440 + int(found[1]) % 4096}"
    if address is None:
        if int(count) == 1:
            return None
        raise ValueError(
            "This version of Open MPI does not say where the first process is: set JAX_COORDINATOR_ADDRESS to its "
            "machine and a port, such as node1:1234 (mpirun -x JAX_COORDINATOR_ADDRESS=node1:1234 …)."
        )
    return Job(address, int(count), int(number), (), _local(environment, "OMPI_COMM_WORLD_LOCAL_RANK"))


def _given(environment: Mapping[str, str]) -> str | None:
    """The address that the user has chosen for the first process."""
    address = environment.get("JAX_COORDINATOR_ADDRESS")
    return None if address is None else _with_port(address, environment)


def _with_port(address: str, environment: Mapping[str, str]) -> str:
    return address if ":" in address else f"{address}:{environment.get('JAX_COORDINATOR_PORT', '1234')}"


def _local(environment: Mapping[str, str], name: str) -> int | None:
    """Which process of its machine it is."""
    return None if name not in environment else int(environment[name])
