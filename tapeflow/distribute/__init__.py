"""`tf.distribute`: strategies, which compute on several devices of this machine."""

import sys as _sys

from tapeflow.distribute.datasets import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
)
from tapeflow.distribute.extended import StrategyExtended as StrategyExtended
from tapeflow.distribute.options import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    InputOptions as InputOptions,
    InputReplicationMode as InputReplicationMode,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
    RunOptions as RunOptions,
)
from tapeflow.distribute.replica_context import (
    ReplicaContext as ReplicaContext,
    experimental_set_strategy as experimental_set_strategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from tapeflow.distribute.replicas import InputContext as InputContext, ReduceOp as ReduceOp
from tapeflow.distribute.strategies import (
    MirroredStrategy as MirroredStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    ParameterServerStrategy as ParameterServerStrategy,
    Server as Server,
    TPUStrategy as TPUStrategy,
)
from tapeflow.distribute.strategy import Strategy as Strategy
from tapeflow.distribute.values import DistributedValues as DistributedValues
from tapeflow.names.missing import watch_over as _watch_over

from . import (
    cluster_resolver as cluster_resolver,
    coordinator as coordinator,
    experimental as experimental,
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
