"""`tf.distribute`: strategies over one replica, on this machine. Programs written for several devices run on it
unchanged."""

import sys as _sys

from tapeflow.names.missing import watch_over as _watch_over

from . import cluster_resolver, coordinator, experimental
from .datasets import DistributedDataset, DistributedIterator
from .options import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    InputOptions,
    InputReplicationMode,
    NcclAllReduce,
    ReductionToOneDevice,
    RunOptions,
)
from .replicas import DistributedValues, InputContext, ReduceOp
from .strategies import (
    MirroredStrategy,
    MultiWorkerMirroredStrategy,
    OneDeviceStrategy,
    ParameterServerStrategy,
    Server,
    TPUStrategy,
)
from .strategy import (
    ReplicaContext,
    Strategy,
    StrategyExtended,
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)

__all__ = [
    "CrossDeviceOps", "DistributedDataset", "DistributedIterator", "DistributedValues", "HierarchicalCopyAllReduce",
    "InputContext", "InputOptions", "InputReplicationMode", "MirroredStrategy", "MultiWorkerMirroredStrategy",
    "NcclAllReduce", "OneDeviceStrategy", "ParameterServerStrategy", "ReduceOp", "ReductionToOneDevice",
    "ReplicaContext", "RunOptions", "Server", "Strategy", "StrategyExtended", "TPUStrategy", "cluster_resolver",
    "coordinator", "experimental", "experimental_set_strategy", "get_replica_context", "get_strategy", "has_strategy",
    "in_cross_replica_context",
]  # fmt: skip

_watch_over(_sys.modules[__name__], "tf.distribute")
