"""What launchers say of the processes of a cluster."""

import json

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines.xla.jobs import Job, described


def tf_config(kind, index, **cluster):
    return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})}


def test_tf_config():
    found = described(tf_config("worker", 1, chief=["c:1"], worker=["a:1", "b:2"], ps=["p:1"]))
    assert found == Job("c:1", 3, 2, ("chief 0 (c:1)", "worker 0 (a:1)", "worker 1 (b:2)"))
    assert described(tf_config("worker", 0, worker=["a:1", "b:2"])).address == "a:1"
    with pytest.raises(ValueError, match=r"no task worker 5; it has \['worker 0', 'worker 1'\]"):
        described(tf_config("worker", 5, worker=["a:1", "b:2"]))


def test_a_process_alone():
    assert described({}) is None
    assert described(tf_config("worker", 0, worker=["a:1"])) is None
    assert described({"SLURM_NTASKS": "1", "SLURM_PROCID": "0", "SLURM_JOB_NODELIST": "n1"}) is None


@pytest.mark.parametrize(
    ("nodes", "first"), [("gpu[07-09,12],big1", "gpu07"), ("n1,n2", "n1"), ("host", "host"), ("a-b[1-2]", "a-b1")]
)
def test_slurm(nodes, first):
    said = {"SLURM_JOB_ID": "4097", "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_NODELIST": nodes, "SLURM_PROCID": "1"}
    assert described(said | {"SLURM_LOCALID": "0"}) == Job(f"{first}:61441", 2, 1, (), 0)


def test_kubernetes():
    said = {"JOB_COMPLETION_INDEX": "1", "TAPEFLOW_WORKERS": "2", "JAX_COORDINATOR_ADDRESS": "train-0.train"}
    assert described(said) == Job("train-0.train:1234", 2, 1)
    assert described(said | {"JAX_COORDINATOR_PORT": "7"}).address == "train-0.train:7"
    with pytest.raises(ValueError, match="JAX_COORDINATOR_ADDRESS is not"):
        described({"JOB_COMPLETION_INDEX": "1", "TAPEFLOW_WORKERS": "2"})


def test_a_batch_script_of_slurm_is_one_process():
    # It waited for others that nobody had started.
    script = {"SLURM_NTASKS": "2", "SLURM_PROCID": "0", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_ID": "7"}
    assert described(script) is None


@pytest.mark.parametrize(
    "uri",
    [
        {"OMPI_MCA_orte_hnp_uri": "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911"},
        {
            "OMPI_MCA_orte_hnp_uri": "1531576320.0;tcp://10.96.0.1:53991;tcp6://[fd00::2]:47933",
            "PMIX_SERVER_URI2": "1531576320.0;tcp4://127.0.0.1:35983",
        },
    ],
)
def test_open_mpi(uri):
    said = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_LOCAL_RANK": "1"}
    port = 61440 + 1531576320 % 4096
    assert described(said | uri) == Job(f"10.96.0.1:{port}", 2, 1, (), 1)
    assert described(said | uri | {"OMPI_COMM_WORLD_LOCAL_SIZE": "2"}).address == f"127.0.0.1:{port}"
    assert described(said | uri | {"JAX_COORDINATOR_ADDRESS": "node1"}).address == "node1:1234"


def test_open_mpi_that_does_not_say_where_the_first_process_is():
    said = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "1"}
    for uri in ({}, {"PMIX_SERVER_URI2": "prterun-node1-17@0.0;tcp4://127.0.0.1:35983"}):
        with pytest.raises(ValueError, match="set JAX_COORDINATOR_ADDRESS to its machine"):
            described(said | uri)
    one_machine = {
        "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
        "PMIX_SERVER_URI2": "prterun-node1-17@0.0;tcp4://127.0.0.1:35983",
    }
    assert described(said | one_machine).address == f"127.0.0.1:{61440 + 17}"
    assert described({"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"}) is None
