"""Which of TensorFlow's private modules its public classes come from, and what they are called there.

Libraries choose what to do by the module of a type ("does it begin with `tensorflow`?"). So under the stand-in our
classes name these as their own, and are found in them: by `import`, and by `pickle`.
"""

import importlib
import sys
from typing import Any

# By module, without `tensorflow.python.`: the classes that are public, without `tf.`; where the class has another name
# there, after a `=`.
HOMES = {
    "autograph.core.converter": "autograph.experimental.Feature",
    "checkpoint.checkpoint": "train.Checkpoint",
    "checkpoint.checkpoint_management": "train.CheckpointManager",
    "checkpoint.checkpoint_options": "train.CheckpointOptions",
    "client.session": "compat.v1.InteractiveSession compat.v1.Session",
    "data.experimental.ops.grouping": "data.experimental.Reducer",
    "data.experimental.ops.readers": "data.experimental.CsvDataset=CsvDatasetV2",
    "data.experimental.ops.writers": "data.experimental.TFRecordWriter",
    "data.ops.dataset_ops": "data.Dataset=DatasetV2 data.DatasetSpec data.NumpyIterator",
    "data.ops.iterator_ops": "data.Iterator=IteratorBase data.IteratorSpec",
    "data.ops.optional_ops": "experimental.Optional",
    "data.ops.options": """data.Options data.ThreadingOptions data.experimental.AutoShardPolicy
        data.experimental.AutotuneAlgorithm data.experimental.AutotuneOptions data.experimental.DistributeOptions
        data.experimental.ExternalStatePolicy data.experimental.OptimizationOptions
        data.experimental.ServiceOptions""",
    "data.ops.readers": """data.FixedLengthRecordDataset=FixedLengthRecordDatasetV2
        data.TFRecordDataset=TFRecordDatasetV2 data.TextLineDataset=TextLineDatasetV2""",
    "distribute.central_storage_strategy": "distribute.experimental.CentralStorageStrategy",
    "distribute.cluster_resolver.cluster_resolver": """distribute.cluster_resolver.ClusterResolver
        distribute.cluster_resolver.SimpleClusterResolver""",
    "distribute.cluster_resolver.tfconfig_cluster_resolver": "distribute.cluster_resolver.TFConfigClusterResolver",
    "distribute.cluster_resolver.tpu.tpu_cluster_resolver": "distribute.cluster_resolver.TPUClusterResolver",
    "distribute.collective_all_reduce_strategy": "distribute.MultiWorkerMirroredStrategy=CollectiveAllReduceStrategy",
    "distribute.collective_util": """distribute.experimental.CollectiveCommunication=CommunicationImplementation
        distribute.experimental.CollectiveHints=Hints
        distribute.experimental.CommunicationOptions=_OptionsExported""",
    "distribute.coordinator.cluster_coordinator": "distribute.coordinator.ClusterCoordinator",
    "distribute.cross_device_ops": """distribute.CrossDeviceOps distribute.HierarchicalCopyAllReduce
        distribute.NcclAllReduce distribute.ReductionToOneDevice""",
    "distribute.distribute_lib": """distribute.InputContext distribute.InputOptions
        distribute.InputReplicationMode distribute.ReplicaContext distribute.RunOptions distribute.Strategy
        distribute.StrategyExtended=StrategyExtendedV2 distribute.experimental.ValueContext""",
    "distribute.mirrored_strategy": "distribute.MirroredStrategy",
    "distribute.one_device_strategy": "distribute.OneDeviceStrategy",
    "distribute.parameter_server_strategy_v2": "distribute.ParameterServerStrategy=ParameterServerStrategyV2",
    "distribute.reduce_util": "distribute.ReduceOp",
    "distribute.tpu_strategy": "distribute.TPUStrategy=TPUStrategyV2 distribute.experimental.TPUStrategy",
    "eager.backprop": "GradientTape",
    "eager.context": "config.LogicalDevice config.LogicalDeviceConfiguration config.PhysicalDevice",
    "eager.forwardprop": "autodiff.ForwardAccumulator",
    "framework.device_spec": "DeviceSpec=DeviceSpecV2",
    "framework.dtypes": "DType",
    "framework.errors_impl": """errors.AbortedError errors.AlreadyExistsError errors.CancelledError
        errors.DataLossError errors.DeadlineExceededError errors.FailedPreconditionError errors.InternalError
        errors.InvalidArgumentError errors.NotFoundError errors.OpError errors.OperatorNotAllowedInGraphError
        errors.OutOfRangeError errors.PermissionDeniedError errors.ResourceExhaustedError
        errors.UnauthenticatedError errors.UnavailableError errors.UnimplementedError errors.UnknownError""",
    "framework.extension_type": """experimental.BatchableExtensionType experimental.ExtensionType
        experimental.ExtensionTypeBatchEncoder experimental.ExtensionTypeSpec""",
    "framework.indexed_slices": "IndexedSlices IndexedSlicesSpec",
    "framework.ops": "Graph Operation RegisterGradient name_scope=name_scope_v2",
    "framework.sparse_tensor": "SparseTensor SparseTensorSpec",
    "framework.tensor": "Tensor TensorSpec",
    "framework.tensor_shape": "TensorShape compat.v1.Dimension",
    "framework.test_util": "test.TestCase=TensorFlowTestCase",
    "framework.type_spec": "TypeSpec",
    "lib.io.tf_record": "io.TFRecordOptions io.TFRecordWriter",
    "module.module": "Module",
    "ops.critical_section_ops": "CriticalSection",
    "ops.data_flow_ops": "queue.FIFOQueue queue.QueueBase",
    "ops.gradients_util": "AggregationMethod",
    "ops.image_ops_impl": "image.ResizeMethod",
    "ops.init_ops_v2": """constant_initializer=Constant ones_initializer=Ones
        random_normal_initializer=RandomNormal random_uniform_initializer=RandomUniform zeros_initializer=Zeros""",
    "ops.lookup_ops": """lookup.KeyValueTensorInitializer lookup.StaticHashTable lookup.StaticVocabularyTable
        lookup.TextFileIndex lookup.TextFileInitializer lookup.experimental.DenseHashTable
        lookup.experimental.MutableHashTable""",
    "ops.losses.losses_impl": "compat.v1.losses.Reduction",
    "ops.parsing_config": """io.FixedLenFeature io.FixedLenSequenceFeature io.RaggedFeature io.SparseFeature
        io.VarLenFeature""",
    "ops.ragged.dynamic_ragged_shape": "experimental.DynamicRaggedShape",
    "ops.ragged.ragged_tensor": "RaggedTensor RaggedTensorSpec",
    "ops.random_ops_util": "random.Algorithm",
    "ops.stateful_random_ops": "random.Generator",
    "ops.summary_ops_v2": "summary.SummaryWriter",
    "ops.tensor_array_ops": "TensorArray TensorArraySpec",
    "ops.unconnected_gradients": "UnconnectedGradients",
    "ops.variables": "Variable VariableAggregation=VariableAggregationV2 VariableSynchronization",
    "platform.benchmark": "test.Benchmark=TensorFlowBenchmark",
    "platform.gfile": "io.gfile.GFile",
    "profiler.profiler_v2": "profiler.experimental.Profile profiler.experimental.ProfilerOptions",
    "profiler.trace": "profiler.experimental.Trace",
    "saved_model.load_options": "saved_model.LoadOptions",
    "saved_model.save_options": "saved_model.SaveOptions",
    "tpu.tpu": "tpu.XLAOptions",
    "trackable.python_state": "train.experimental.PythonState",
    "training.adadelta": "compat.v1.train.AdadeltaOptimizer",
    "training.adagrad": "compat.v1.train.AdagradOptimizer",
    "training.adam": "compat.v1.train.AdamOptimizer",
    "training.ftrl": "compat.v1.train.FtrlOptimizer",
    "training.gradient_descent": "compat.v1.train.GradientDescentOptimizer",
    "training.momentum": "compat.v1.train.MomentumOptimizer",
    "training.moving_averages": "train.ExponentialMovingAverage",
    "training.optimizer": "compat.v1.train.Optimizer",
    "training.rmsprop": "compat.v1.train.RMSPropOptimizer",
    "training.server_lib": "distribute.Server train.ClusterSpec config.experimental.ClusterDeviceFilters",
    "types.core": """types.experimental.Callable types.experimental.ConcreteFunction
        types.experimental.GenericFunction=PolymorphicFunction""",
    "types.distribute": """distribute.DistributedDataset=DistributedDatasetInterface
        distribute.DistributedIterator=DistributedIteratorInterface distribute.DistributedValues""",
    "types.trace": "types.experimental.SupportsTracingProtocol",
}

# Classes that have no public name: where they are in tapeflow, and where in TensorFlow.
UNNAMED = {
    "tapeflow.core.tensor.EagerTensor": "framework.ops.EagerTensor",
    "tapeflow.core.variables.variable.ResourceVariable": "ops.resource_variable_ops.ResourceVariable",
    "tapeflow.core.variables.variable._UnreadVariable": "ops.resource_variable_ops._UnreadVariable",
    "tapeflow.function.tracing.symbols.SymbolicTensor": "framework.ops.SymbolicTensor",
    "tapeflow.function.tracing.polymorphic.Function": "eager.polymorphic_function.polymorphic_function.Function",
    "tapeflow.function.tracing.concrete.ConcreteFunction": (
        "eager.polymorphic_function.concrete_function.ConcreteFunction"
    ),
}

PREFIX = "tensorflow.python."
_own: dict[type, str] = {}  # the modules that classes said before


def listed(inside: str) -> dict[str, str]:
    """The classes of one private module: public names, by the names that they have there.

    >>> from tapeflow.programs.homes import listed
    >>> listed("data.ops.iterator_ops")
    {'Iterator': 'tf.data.Iterator', 'IteratorBase': 'tf.data.Iterator', 'IteratorSpec': 'tf.data.IteratorSpec'}
    """
    found: dict[str, str] = {}
    for entry in HOMES.get(inside, "").split():
        public, _, name = entry.partition("=")
        for known in filter(None, (public.rpartition(".")[2], name)):
            found.setdefault(known, f"tf.{public}")
    return found


def unnamed(place: str) -> type | None:
    """The class of ours that TensorFlow has at a private place, or that says it is from there."""
    for moved in _own:
        if f"{moved.__module__}.{moved.__qualname__}" == PREFIX + place:
            return moved
    for ours, theirs in UNNAMED.items():
        if theirs == place:
            module, _, name = ours.rpartition(".")
            return getattr(importlib.import_module(module), name)
    return None


def move_in() -> None:
    """Classes say where TensorFlow has them: those that are loaded by now. Called again when more are."""
    for ours, theirs in UNNAMED.items():
        module, _, name = ours.rpartition(".")
        _move(
            vars(sys.modules[module]).get(name) if module in sys.modules else None, PREFIX + theirs.rpartition(".")[0]
        )
    tapeflow = sys.modules["tapeflow"]
    for inside in HOMES:
        for public in listed(inside).values():
            value: Any = tapeflow
            for part in public.split(".")[1:]:
                value = vars(value).get(part) if hasattr(value, "__dict__") else None
            _move(value, PREFIX + inside)


def _move(value: Any, home: str) -> None:
    if not isinstance(value, type) or not value.__module__.startswith("tapeflow."):
        return
    if all((moved.__module__, moved.__qualname__) != (home, value.__qualname__) for moved in _own):
        _own[value] = value.__module__
        value.__module__ = home


def move_out() -> None:
    """Takes `move_in` back."""
    while _own:
        value, module = _own.popitem()
        value.__module__ = module
