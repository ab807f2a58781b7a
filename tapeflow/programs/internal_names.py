"""Where the names of TensorFlow's private modules are found. Facts about TensorFlow; keys leave out
`tensorflow.python.`."""

import functools

from . import homes

# The modules, by package, of TensorFlow 2 and of earlier versions where programs still look for them.
PACKAGES = {
    "autograph": "core core.ag_ctx operators impl impl.api",
    "checkpoint": "checkpoint checkpoint_management checkpoint_options",
    "client": "device_lib session timeline",
    "compiler": "tensorrt xla",
    "data": "experimental experimental.ops ops ops.dataset_ops ops.iterator_ops ops.readers util util.nest "
    "util.structure",
    "distribute": """cross_device_ops distribute_lib distribute_utils distribution_strategy_context mirrored_strategy
        multi_worker_util one_device_strategy parameter_server_strategy reduce_util tpu_strategy values""",
    "eager": """backprop backprop_util context core def_function execute forwardprop function monitoring
        polymorphic_function record polymorphic_function.polymorphic_function profiler tape test wrap_function""",
    "feature_column": "feature_column feature_column_lib feature_column_v2",
    "framework": """auto_control_deps common_shapes composite_tensor config constant_op convert_to_constants
        cpp_shape_inference_pb2 device dtypes errors errors_impl extension_type func_graph function graph_util importer
        indexed_slices load_library meta_graph op_def_library ops random_seed registry smart_cond sparse_tensor tensor
        tensor_conversion tensor_conversion_registry tensor_shape tensor_spec tensor_util test_util type_spec
        type_spec_registry versions""",
    "keras": """applications callbacks_v1 engine engine.base_layer engine.base_layer_utils engine.data_adapter
        engine.functional engine.input_layer engine.input_spec engine.keras_tensor engine.network engine.sequential
        engine.training engine.training_utils initializers.initializers_v1 initializers.initializers_v2
        layers.advanced_activations layers.convolutional layers.core layers.dense_attention layers.embeddings
        layers.local layers.merge layers.noise layers.normalization layers.normalization_v2 layers.ops layers.pooling
        layers.recurrent layers.recurrent_v2 layers.wrappers mixed_precision.loss_scale_optimizer
        mixed_precision.policy optimizer_v1 optimizer_v2 optimizer_v2.adadelta optimizer_v2.adagrad optimizer_v2.adam
        optimizer_v2.adamax optimizer_v2.ftrl optimizer_v2.gradient_descent optimizer_v2.learning_rate_schedule
        optimizer_v2.nadam optimizer_v2.optimizer_v2 optimizer_v2.rmsprop saving saving.hdf5_format saving.model_config
        saving.save saving.saved_model utils.conv_utils utils.control_flow_util utils.data_utils utils.generic_utils
        utils.io_utils utils.layer_utils utils.losses_utils utils.metrics_utils utils.multi_gpu_utils utils.np_utils
        utils.tf_utils utils.vis_utils utils.version_utils""",
    "layers": "base core convolutional normalization layers utils",
    "lib": "core io io.file_io io.tf_record",
    "module": "module",
    "ops": """array_grad array_ops batch_ops bincount_ops bitwise_ops candidate_sampling_ops check_ops clip_ops
        collective_ops cond confusion_matrix control_flow_assert control_flow_case
        control_flow_ops control_flow_switch_case control_flow_util
        control_flow_v2_toggles critical_section_ops ctc_ops custom_gradient data_flow_ops distributions
        distributions.bernoulli distributions.categorical distributions.distribution distributions.normal embedding_ops
        functional_ops gen_array_ops gen_control_flow_ops gen_data_flow_ops gen_image_ops gen_linalg_ops
        gen_logging_ops gen_math_ops gen_nn_ops gen_random_ops gen_sparse_ops gen_state_ops gen_string_ops
        gradient_checker_v2 gradients gradients_impl gradients_util handle_data_util histogram_ops image_ops
        image_ops_impl init_ops init_ops_v2 inplace_ops io_ops linalg linalg.linalg linalg.linalg_impl
        linalg.linear_operator
        linalg.linear_operator_addition linalg.linear_operator_algebra linalg.linear_operator_util linalg_grad
        linalg_ops list_ops logging_ops lookup_ops losses losses.losses losses.losses_impl losses.util manip_ops map_fn
        map_ops math_grad math_ops metrics nccl_ops nn nn_grad nn_impl nn_ops numerics numpy_ops numpy_ops.np_arrays
        numpy_ops.np_array_ops numpy_ops.np_config numpy_ops.np_math_ops parallel_for parallel_for.control_flow_ops
        parallel_for.gradients parsing_ops partitioned_variables ragged ragged.ragged_factory_ops
        ragged.ragged_math_ops ragged.ragged_tensor random_grad random_ops ref_variable resource_variable_ops rnn
        rnn_cell rnn_cell_impl script_ops session_ops sets sets_impl signal signal.signal sort_ops sparse_grad
        sparse_ops special_math_ops standard_ops state_ops stateful_random_ops stateless_random_ops string_ops
        summary_op_util summary_ops summary_ops_v2 template tensor_array_grad tensor_array_ops tensor_array_ops
        unconnected_gradients variable_scope variables weights_broadcast_ops while_loop while_v2""",
    "platform": "app build_info flags gfile googletest resource_loader sysconfig test tf_logging",
    "profiler": "model_analyzer option_builder profiler_v2 trace",
    "saved_model": """builder load loader loader_impl nested_structure_coder save save_options saved_model
        signature_constants signature_def_utils tag_constants utils""",
    "summary": "summary summary_iterator writer writer.writer",
    "tf2": "",
    "tools": "freeze_graph inspect_checkpoint optimize_for_inference_lib",
    "tpu": "tpu tpu_embedding tpu_strategy_util",
    "trackable": "autotrackable base data_structures resource",
    "training": """adadelta adagrad adam basic_session_run_hooks checkpoint_management checkpoint_ops
        checkpoint_state_pb2 checkpoint_utils ema evaluation gradient_descent input learning_rate_decay momentum
        monitored_session moving_averages optimizer py_checkpoint_reader queue_runner rmsprop saver saver_test_utils
        session_run_hook slot_creator tracking tracking.base tracking.data_structures tracking.tracking tracking.util
        training training_ops training_util""",
    "types": "core",
    "util": """compat decorator_utils deprecation dispatch function_utils is_in_graph_mode keras_deps keyword_args
        lazy_loader module_wrapper nest nest_util object_identity serialization tf_contextlib tf_decorator tf_export
        tf_inspect tf_stack variable_utils""",
}


@functools.cache
def known_modules() -> frozenset[str]:
    """All of `PACKAGES`, as dotted names."""
    inside = {f"{package}.{name}" for package, names in PACKAGES.items() for name in names.split()}
    inside |= {*homes.HOMES, *(place.rpartition(".")[0] for place in homes.UNNAMED.values())}
    above = {name.rsplit(".", size)[0] for name in inside for size in range(1, name.count(".") + 1)}
    return frozenset({"", *PACKAGES, *above, *inside})


# Modules that are, as a whole, a public namespace or a module of the standard library.
MODULES = {
    "platform.gfile": "tf.io.gfile",
    "platform.test": "tf.test",
    "platform.tf_logging": "tf.compat.v1.logging",
    "types.core": "tf.types.experimental",
    "util.compat": "tf.compat",
    "util.nest": "tapeflow.programs.inner.nests",
    "data.util.nest": "tapeflow.programs.inner.nests",
    "util.tf_inspect": "tapeflow.programs.inner.inspection",
    "platform.flags": "absl.flags",
    "platform.app": "absl.app",
}

# Namespaces that a module's names are in, besides `tf` itself, `tf.math`, `tf.nn`, `tf.linalg` and `tf.compat.v1`.
PLACES = {
    "autograph.impl.api": "tf.autograph.experimental tf.autograph",
    "checkpoint.checkpoint": "tf.train",
    "core.example": "tf.train",
    "client.session": "tf.compat.v1",
    "data.experimental": "tf.data.experimental",
    "data.ops.dataset_ops": "tf.data tf.compat.v1.data",
    "data.ops.iterator_ops": "tf.data",
    "data.ops.readers": "tf.data",
    "distribute.distribute_lib": "tf.distribute",
    "distribute.mirrored_strategy": "tf.distribute",
    "distribute.one_device_strategy": "tf.distribute",
    "distribute.reduce_util": "tf.distribute",
    "distribute.values": "tf.distribute tf.types.experimental.distributed",
    "distribute.distribution_strategy_context": "tf.distribute",
    "eager.forwardprop": "tf.autodiff",
    "feature_column.feature_column_v2": "tf.feature_column",
    "framework.config": "tf.config tf.config.experimental tf.config.threading tf.config.optimizer",
    "framework.dtypes": "tf.dtypes",
    "framework.errors": "tf.errors",
    "framework.errors_impl": "tf.errors",
    "framework.graph_util": "tf.graph_util",
    "framework.random_seed": "tf.random",
    "framework.tensor_util": "tf.debugging",
    "framework.test_util": "tf.test",
    "lib.io.file_io": "tf.io.gfile tf.io",
    "lib.io.tf_record": "tf.io",
    "ops.candidate_sampling_ops": "tf.random",
    "ops.check_ops": "tf.debugging",
    "ops.image_ops": "tf.image",
    "ops.image_ops_impl": "tf.image",
    "ops.io_ops": "tf.io",
    "ops.linalg.linalg": "tf.linalg",
    "ops.linalg.linalg_impl": "tf.linalg",
    "ops.logging_ops": "tf.summary",
    "ops.lookup_ops": "tf.lookup",
    "ops.losses.losses": "tf.compat.v1.losses",
    "ops.losses.losses_impl": "tf.compat.v1.losses",
    "ops.manip_ops": "tf",
    "ops.math_ops": "tf.math",
    "ops.parsing_ops": "tf.io",
    "ops.ragged.ragged_tensor": "tf.ragged",
    "ops.ragged.ragged_factory_ops": "tf.ragged",
    "ops.random_ops": "tf.random",
    "ops.signal.signal": "tf.signal",
    "ops.sparse_ops": "tf.sparse",
    "ops.stateless_random_ops": "tf.random",
    "ops.string_ops": "tf.strings",
    "ops.summary_ops_v2": "tf.summary",
    "platform.build_info": "tf.sysconfig",
    "profiler.profiler_v2": "tf.profiler.experimental",
    "saved_model.load": "tf.saved_model",
    "saved_model.save": "tf.saved_model",
    "saved_model.saved_model": "tf.saved_model",
    "saved_model.signature_constants": "tf.saved_model",
    "saved_model.tag_constants": "tf.saved_model",
    "summary.summary_iterator": "tf.compat.v1.train",
    "training.checkpoint_management": "tf.train",
    "training.checkpoint_utils": "tf.train",
    "training.moving_averages": "tf.train",
    "training.py_checkpoint_reader": "tf.train",
    "training.training_util": "tf.compat.v1.train",
}

# Names that are public under another one, or are ours.
RENAMED = {
    "autograph.core.ag_ctx.Status": "tapeflow.programs.inner.conversion.Status",
    "autograph.core.ag_ctx.control_status_ctx": "tapeflow.programs.inner.conversion.control_status_ctx",
    "autograph.impl.api.tf_convert": "tapeflow.programs.inner.conversion.tf_convert",
    "client.device_lib.list_local_devices": "tapeflow.programs.inner.runtime.list_local_devices",
    "eager.context.context": "tapeflow.programs.inner.runtime.context",
    "eager.context.eager_mode": "tf.init_scope",
    "eager.context.graph_mode": "tf.init_scope",
    "eager.context.num_gpus": "tapeflow.programs.inner.runtime.num_gpus",
    "eager.context.async_wait": "tf.group",
    "eager.record.should_record_backprop": "tapeflow.programs.inner.runtime.is_recorded",
    "eager.tape.should_record_backprop": "tapeflow.programs.inner.runtime.is_recorded",
    "eager.record.stop_recording": "tapeflow.programs.inner.runtime.stop_recording",
    "eager.tape.stop_recording": "tapeflow.programs.inner.runtime.stop_recording",
    "framework.composite_tensor.CompositeTensor": "tapeflow.core.composite.CompositeTensor",
    "framework.composite_tensor.replace_composites_with_components": "tapeflow.programs.inner.specs.with_components",
    "framework.func_graph.FuncGraph": "tf.Graph",
    "framework.ops.convert_to_tensor_or_composite": "tapeflow.programs.inner.specs.tensor_or_composite",
    "framework.ops.executing_eagerly_outside_functions": "tapeflow.programs.inner.runtime.true",
    "framework.ops.get_name_scope": "tapeflow.programs.inner.runtime.get_name_scope",
    "framework.ops.get_default_graph": "tf.compat.v1.get_default_graph",
    "framework.ops.reset_default_graph": "tapeflow.programs.inner.runtime.nothing",
    "framework.ops.NullContextmanager": "contextlib.nullcontext",
    "framework.smart_cond.smart_cond": "tapeflow.programs.inner.runtime.smart_cond",
    "framework.smart_cond.smart_constant_value": "tf.get_static_value",
    "framework.tensor_spec.DenseSpec": "tf.TypeSpec",
    "framework.tensor_util.constant_value_as_shape": "tapeflow.programs.inner.specs.constant_value_as_shape",
    "framework.tensor_util.try_evaluate_constant": "tf.get_static_value",
    "framework.test_util.run_deprecated_v1": "tapeflow.programs.inner.runtime.unchanged",
    "framework.test_util.InstallStackTraceHandler": "tapeflow.programs.inner.runtime.nothing",
    "framework.type_spec.BatchableTypeSpec": "tf.TypeSpec",
    "framework.type_spec.lookup": "tapeflow.programs.inner.specs.lookup",
    "framework.type_spec.register": "tapeflow.programs.inner.specs.register",
    "framework.type_spec.register_type_spec_from_value_converter": "tapeflow.programs.inner.specs.register_converter",
    "framework.type_spec_registry._NAME_TO_TYPE_SPEC": "tapeflow.programs.inner.specs.BY_NAME",
    "framework.type_spec_registry._TYPE_SPEC_TO_NAME": "tapeflow.programs.inner.specs.NAMES",
    "framework.type_spec_registry.get_name": "tapeflow.programs.inner.specs.get_name",
    "framework.type_spec_registry.lookup": "tapeflow.programs.inner.specs.lookup",
    "framework.type_spec_registry.register": "tapeflow.programs.inner.specs.register",
    "ops.array_ops.prevent_gradient": "tapeflow.programs.inner.runtime.prevent_gradient",
    "ops.control_flow_case._case_helper": "tapeflow.programs.inner.runtime.case_helper",
    "ops.control_flow_ops.get_enclosing_xla_context": "tapeflow.programs.inner.runtime.nothing",
    "ops.control_flow_util.ENABLE_CONTROL_FLOW_V2": "tapeflow.programs.inner.runtime.TRUE",
    "ops.control_flow_util.GraphOrParentsInXlaContext": "tapeflow.programs.inner.runtime.false",
    "ops.linalg.linear_operator.make_composite_tensor": "tapeflow.programs.inner.runtime.unchanged",
    "ops.parallel_for.control_flow_ops.pfor": "tapeflow.programs.inner.runtime.pfor",
    "ops.parallel_for.control_flow_ops.for_loop": "tapeflow.programs.inner.runtime.pfor",
    "ops.random_ops.parameterized_truncated_normal": "tapeflow.programs.inner.runtime.parameterized_truncated_normal",
    "ops.resource_variable_ops.VariableSpec": "tapeflow.programs.inner.specs.VariableSpec",
    "ops.resource_variable_ops.is_resource_variable": "tapeflow.programs.inner.runtime.is_variable",
    "ops.weights_broadcast_ops.broadcast_weights": "tapeflow.programs.inner.runtime.broadcast_weights",
    "platform.resource_loader.get_path_to_datafile": "tapeflow.programs.inner.runtime.same",
    "tf2.enabled": "tapeflow.programs.inner.runtime.true",
    "trackable.base.no_automatic_dependency_tracking": "tapeflow.programs.inner.runtime.unchanged",
    "trackable.data_structures.ListWrapper": "builtins.list",
    "trackable.data_structures._DictWrapper": "builtins.dict",
    "trackable.data_structures.NoDependency": "tapeflow.programs.inner.runtime.same",
    "trackable.data_structures.sticky_attribute_assignment": "tapeflow.programs.inner.runtime.sticky",
    "trackable.data_structures.wrap_or_unwrap": "tapeflow.programs.inner.runtime.same",
    "training.moving_averages.assign_moving_average": "tapeflow.programs.inner.runtime.assign_moving_average",
    "training.tracking.data_structures.ListWrapper": "builtins.list",
    "training.tracking.data_structures.NoDependency": "tapeflow.programs.inner.runtime.same",
    "util.deprecation.deprecated": "tapeflow.programs.inner.runtime.plain_decorator",
    "util.deprecation.deprecated_alias": "tapeflow.programs.inner.runtime.deprecated_alias",
    "util.deprecation.deprecated_arg_values": "tapeflow.programs.inner.runtime.plain_decorator",
    "util.deprecation.deprecated_args": "tapeflow.programs.inner.runtime.plain_decorator",
    "util.deprecation.deprecated_endpoints": "tapeflow.programs.inner.runtime.plain_decorator",
    "util.deprecation.silence": "contextlib.nullcontext",
    "util.dispatch.add_dispatch_support": "tapeflow.programs.inner.runtime.unchanged",
    "util.tf_contextlib.contextmanager": "contextlib.contextmanager",
    "util.tf_decorator.make_decorator": "tapeflow.programs.inner.runtime.make_decorator",
    "util.tf_decorator.unwrap": "tapeflow.programs.inner.runtime.unwrap",
    "util.tf_export.keras_export": "tapeflow.programs.inner.runtime.plain_decorator",
    "util.tf_export.tf_export": "tapeflow.programs.inner.runtime.plain_decorator",
    "util.variable_utils.convert_variables_to_tensors": "tapeflow.programs.inner.specs.read_variables",
    "data.ops.dataset_ops.DatasetV2": "tf.data.Dataset",
    "framework.constant_op.constant_v1": "tf.constant",
    "framework.ops.convert_to_tensor_v2": "tf.convert_to_tensor",
    "framework.ops.convert_to_tensor_v2_with_dispatch": "tf.convert_to_tensor",
    "framework.ops.name_scope_v2": "tf.name_scope",
    "framework.random_seed.set_random_seed": "tf.random.set_seed",
    "framework.tensor_shape.dimension_value": "tf.compat.dimension_value",
    "framework.tensor_shape.as_shape": "tf.TensorShape",
    "framework.tensor_util.constant_value": "tf.get_static_value",
    "framework.tensor_util.is_tf_type": "tf.is_tensor",
    "ops.array_ops.where_v2": "tf.where",
    "ops.array_ops.size_v2": "tf.size",
    "ops.array_ops.shape_v2": "tf.shape",
    "ops.array_ops.gather_v2": "tf.gather",
    "ops.array_ops.matrix_transpose": "tf.linalg.matrix_transpose",
    "ops.array_ops.matrix_diag": "tf.linalg.diag",
    "ops.array_ops.matrix_band_part": "tf.linalg.band_part",
    "ops.confusion_matrix.confusion_matrix": "tf.math.confusion_matrix",
    "ops.gradient_checker_v2.compute_gradient": "tf.test.compute_gradient",
    "ops.gradients_impl.gradients_v2": "tf.gradients",
    "ops.linalg_ops.cholesky": "tf.linalg.cholesky",
    "ops.linalg_ops.matrix_inverse": "tf.linalg.inv",
    "ops.linalg_ops.matrix_determinant": "tf.linalg.det",
    "ops.linalg_ops.matrix_solve": "tf.linalg.solve",
    "ops.linalg_ops.matrix_triangular_solve": "tf.linalg.triangular_solve",
    "ops.linalg_ops.self_adjoint_eig": "tf.linalg.eigh",
    "ops.math_ops.reduce_sum_v1": "tf.reduce_sum",
    "ops.math_ops.argmax_v2": "tf.argmax",
    "ops.math_ops.mod": "tf.math.floormod",
    "ops.nn_ops.conv2d_v2": "tf.nn.conv2d",
    "ops.nn_ops.softmax_v2": "tf.nn.softmax",
    "ops.numpy_ops.np_config.enable_numpy_behavior": "tf.experimental.numpy.experimental_enable_numpy_behavior",
    "ops.random_ops.random_normal": "tf.random.normal",
    "ops.random_ops.random_uniform": "tf.random.uniform",
    "ops.random_ops.random_shuffle": "tf.random.shuffle",
    "ops.random_ops.random_gamma": "tf.random.gamma",
    "ops.random_ops.multinomial": "tf.random.categorical",
    "ops.resource_variable_ops.BaseResourceVariable": "tf.Variable",
    "ops.variables.VariableV2": "tf.Variable",
    "saved_model.nested_structure_coder.NotEncodableError": "tapeflow.programs.inner.structures.NotEncodableError",
    "saved_model.nested_structure_coder.decode_proto": "tapeflow.programs.inner.structures.decode_proto",
    "saved_model.nested_structure_coder.encode_structure": "tapeflow.programs.inner.structures.encode_structure",
    "trackable.autotrackable.AutoTrackable": "tf.Module",
    "trackable.base.Trackable": "tf.Module",
    "training.tracking.base.Trackable": "tf.Module",
    "training.tracking.tracking.AutoTrackable": "tf.Module",
}

RENAMED_IN_KERAS = {
    "BaseLayer": "Layer",
    "BatchNormalizationV2": "BatchNormalization",
    "Network": "Model",
    "OptimizerV2": "Optimizer",
    "Functional": "Model",
}

# `tf.__internal__`: by namespace, where in the private modules its names are.
INTERNAL = {
    "": """framework.composite_tensor.CompositeTensor framework.ops.EagerTensor framework.func_graph.FuncGraph
        framework.ops.SymbolicTensor framework.ops.get_name_scope ops.control_flow_ops.get_enclosing_xla_context""",
    "autograph": "autograph.core.ag_ctx.control_status_ctx autograph.impl.api.tf_convert",
    "decorator": "util.tf_decorator.make_decorator util.tf_decorator.unwrap",
    "dispatch": "util.dispatch.add_dispatch_support",
    "eager_context": "eager.context.eager_mode",
    "function": "eager.polymorphic_function.polymorphic_function.Function",
    "nest": """util.nest.flatten_up_to util.nest.get_traverse_shallow_structure util.nest.is_attrs util.nest.is_mapping
        util.nest.list_to_tuple util.nest.map_structure_up_to util.nest.sequence_like util.nest.yield_flat_paths""",
    "ops": "ops.weights_broadcast_ops.broadcast_weights ops.resource_variable_ops.is_resource_variable",
    "saved_model": """saved_model.nested_structure_coder.decode_proto
        saved_model.nested_structure_coder.encode_structure""",
    "smart_cond": "framework.smart_cond.smart_cond",
    "tf2": "tf2.enabled",
    "tracking": """trackable.autotrackable.AutoTrackable trackable.base.Trackable
        trackable.base.no_automatic_dependency_tracking trackable.data_structures.sticky_attribute_assignment""",
    "train": "training.moving_averages.assign_moving_average",
    "types": "types.core.Tensor",
}
