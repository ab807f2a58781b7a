"""The messages of TensorFlow's saved models and graphs, with its names, field numbers and bytes.

What lies inside another message in TensorFlow's description is named beside it here, which bytes do not tell: `ArgDef`
is `OpDef.ArgDef`, `AttrList` is `AttrValue.ListValue`, `Reference` is `TrackableObject.ObjectReference`.
"""

import os
from typing import Any

__all__ = [
    "MESSAGES", "AssetFileDef", "AttrList", "AttrValue", "BundleEntryProto", "BundleHeaderProto", "CollectionDef",
    "DecodeError", "FunctionDef", "FunctionDefLibrary", "FunctionSpec", "GraphDef", "MetaGraphDef", "MetaInfoDef",
    "NameAttrList", "NodeDef", "OpDef", "SavedModel", "SavedObject", "SavedObjectGraph", "SignatureDef",
    "StructuredValue", "TensorInfo", "TensorProto", "TensorShapeProto", "TrackableObjectGraph", "VariableDef",
    "VersionDef", "parsed",
]  # fmt: skip

from .described import message_classes

# isort: split
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

_TABLE = """
enum DataType: 0 DT_INVALID, 1 DT_FLOAT, 2 DT_DOUBLE, 3 DT_INT32, 4 DT_UINT8, 5 DT_INT16, 6 DT_INT8, 7 DT_STRING,
    8 DT_COMPLEX64, 9 DT_INT64, 10 DT_BOOL, 11 DT_QINT8, 12 DT_QUINT8, 13 DT_QINT32, 14 DT_BFLOAT16, 15 DT_QINT16,
    16 DT_QUINT16, 17 DT_UINT16, 18 DT_COMPLEX128, 19 DT_HALF, 20 DT_RESOURCE, 21 DT_VARIANT, 22 DT_UINT32,
    23 DT_UINT64, 24 DT_FLOAT8_E5M2, 25 DT_FLOAT8_E4M3FN, 26 DT_FLOAT8_E4M3FNUZ, 27 DT_FLOAT8_E4M3B11FNUZ,
    28 DT_FLOAT8_E5M2FNUZ, 29 DT_INT4, 30 DT_UINT4, 31 DT_INT2, 32 DT_UINT2, 33 DT_FLOAT4_E2M1FN, 101 DT_FLOAT_REF,
    102 DT_DOUBLE_REF, 103 DT_INT32_REF, 104 DT_UINT8_REF, 105 DT_INT16_REF, 106 DT_INT8_REF, 107 DT_STRING_REF,
    108 DT_COMPLEX64_REF, 109 DT_INT64_REF, 110 DT_BOOL_REF, 111 DT_QINT8_REF, 112 DT_QUINT8_REF,
    113 DT_QINT32_REF, 114 DT_BFLOAT16_REF, 115 DT_QINT16_REF, 116 DT_QUINT16_REF, 117 DT_UINT16_REF,
    118 DT_COMPLEX128_REF, 119 DT_HALF_REF, 120 DT_RESOURCE_REF, 121 DT_VARIANT_REF, 122 DT_UINT32_REF,
    123 DT_UINT64_REF, 124 DT_FLOAT8_E5M2_REF, 125 DT_FLOAT8_E4M3FN_REF, 126 DT_FLOAT8_E4M3FNUZ_REF,
    127 DT_FLOAT8_E4M3B11FNUZ_REF, 128 DT_FLOAT8_E5M2FNUZ_REF, 129 DT_INT4_REF, 130 DT_UINT4_REF, 131 DT_INT2_REF,
    132 DT_UINT2_REF, 133 DT_FLOAT4_E2M1FN_REF
enum FullTypeId: 0 TFT_UNSET, 1 TFT_VAR, 2 TFT_ANY, 3 TFT_PRODUCT, 4 TFT_NAMED, 20 TFT_FOR_EACH, 100 TFT_CALLABLE,
    1000 TFT_TENSOR, 1001 TFT_ARRAY, 1002 TFT_OPTIONAL, 1003 TFT_LITERAL, 1004 TFT_ENCODED, 1005 TFT_SHAPE_TENSOR,
    200 TFT_BOOL, 201 TFT_UINT8, 202 TFT_UINT16, 203 TFT_UINT32, 204 TFT_UINT64, 205 TFT_INT8, 206 TFT_INT16,
    207 TFT_INT32, 208 TFT_INT64, 209 TFT_HALF, 210 TFT_FLOAT, 211 TFT_DOUBLE, 215 TFT_BFLOAT16, 212 TFT_COMPLEX64,
    213 TFT_COMPLEX128, 214 TFT_STRING, 10102 TFT_DATASET, 10103 TFT_RAGGED, 10104 TFT_ITERATOR,
    10202 TFT_MUTEX_LOCK, 10203 TFT_LEGACY_VARIANT
Dim: 1 size int64, 2 name string
TensorShapeProto: 2 dim repeated Dim, 3 unknown_rank bool
DtypeAndShape: 1 dtype int32, 2 shape TensorShapeProto
ResourceHandleProto: 1 device string, 2 container string, 3 name string, 4 hash_code uint64, 5 maybe_type_name string,
    6 dtypes_and_shapes repeated DtypeAndShape
VariantTensorDataProto: 1 type_name string, 2 metadata bytes, 3 tensors repeated TensorProto
TensorProto: 1 dtype DataType, 2 tensor_shape TensorShapeProto, 3 version_number int32, 4 tensor_content bytes,
    5 float_val repeated float, 6 double_val repeated double, 7 int_val repeated int32, 8 string_val repeated bytes,
    9 scomplex_val repeated float, 10 int64_val repeated int64, 11 bool_val repeated bool,
    12 dcomplex_val repeated double, 13 half_val repeated int32, 14 resource_handle_val repeated ResourceHandleProto,
    15 variant_val repeated VariantTensorDataProto, 16 uint32_val repeated uint32, 17 uint64_val repeated uint64,
    18 float8_val bytes
AttrList: 2 s repeated bytes, 3 i repeated int64, 4 f repeated float, 5 b repeated bool, 6 type repeated DataType,
    7 shape repeated TensorShapeProto, 8 tensor repeated TensorProto, 9 func repeated NameAttrList
NameAttrList: 1 name string, 2 attr map AttrValue
AttrValue: 2 s bytes in value, 3 i int64 in value, 4 f float in value, 5 b bool in value, 6 type DataType in value,
    7 shape TensorShapeProto in value, 8 tensor TensorProto in value, 1 list AttrList in value,
    10 func NameAttrList in value, 9 placeholder string in value
VersionDef: 1 producer int32, 2 min_consumer int32, 3 bad_consumers repeated int32
DebugInfo: 1 original_node_names repeated string, 2 original_func_names repeated string
FullTypeDef: 1 type_id FullTypeId, 2 args repeated FullTypeDef, 3 s string in attr, 4 i int64 in attr
NodeDef: 1 name string, 2 op string, 3 input repeated string, 4 device string, 5 attr map AttrValue,
    6 experimental_debug_info DebugInfo, 7 experimental_type FullTypeDef
ArgDef: 1 name string, 2 description string, 3 type int32, 4 type_attr string, 5 number_attr string,
    6 type_list_attr string, 7 handle_data repeated DtypeAndShape, 16 is_ref bool
AttrDef: 1 name string, 2 type string, 3 default_value AttrValue, 4 description string, 5 has_minimum bool,
    6 minimum int64, 7 allowed_values AttrValue
OpDef: 1 name string, 2 input_arg repeated ArgDef, 3 output_arg repeated ArgDef, 20 control_output repeated string,
    4 attr repeated AttrDef, 5 summary string, 6 description string, 18 is_commutative bool, 16 is_aggregate bool,
    17 is_stateful bool, 19 allows_uninitialized_input bool, 21 is_distributed_communication bool
OpList: 1 op repeated OpDef
ArgAttrs: 1 attr map AttrValue
FunctionDef: 1 signature OpDef, 5 attr map AttrValue, 7 arg_attr map uint32 ArgAttrs,
    8 resource_arg_unique_id map uint32 uint32, 3 node_def repeated NodeDef, 4 ret map string, 6 control_ret map string
GradientDef: 1 function_name string, 2 gradient_func string
RegisteredGradient: 1 gradient_func string, 2 registered_op_type string
FunctionDefLibrary: 1 function repeated FunctionDef, 2 gradient repeated GradientDef,
    3 registered_gradients repeated RegisteredGradient
GraphDef: 1 node repeated NodeDef, 4 versions VersionDef, 3 version int32, 2 library FunctionDefLibrary
SaverDef: 1 filename_tensor_name string, 2 save_tensor_name string, 3 restore_op_name string, 4 max_to_keep int32,
    5 sharded bool, 6 keep_checkpoint_every_n_hours float, 7 version int32
NodeNames: 1 value repeated string
BytesValues: 1 value repeated bytes
Int64Values: 1 value repeated int64
FloatValues: 1 value repeated float
AnyMessage: 1 type_url string, 2 value bytes
AnyValues: 1 value repeated AnyMessage
CollectionDef: 1 node_list NodeNames in kind, 2 bytes_list BytesValues in kind, 3 int64_list Int64Values in kind,
    4 float_list FloatValues in kind, 5 any_list AnyValues in kind
CooSparse: 1 values_tensor_name string, 2 indices_tensor_name string, 3 dense_shape_tensor_name string
CompositeTensor: 1 type_spec TypeSpecProto, 2 components repeated TensorInfo
TensorInfo: 1 name string in encoding, 4 coo_sparse CooSparse in encoding, 5 composite_tensor CompositeTensor in encoding,
    2 dtype int32, 3 tensor_shape TensorShapeProto
SignatureDef: 1 inputs map TensorInfo, 2 outputs map TensorInfo, 3 method_name string, 4 defaults map TensorProto
VariableDef: 1 variable_name string, 6 initial_value_name string, 2 initializer_name string, 3 snapshot_name string,
    5 is_resource bool, 7 trainable bool, 8 synchronization int32, 9 aggregation int32
AssetFileDef: 1 tensor_info TensorInfo, 2 filename string
MetaInfoDef: 1 meta_graph_version string, 2 stripped_op_list OpList, 3 any_info AnyMessage, 4 tags repeated string,
    5 tensorflow_version string, 6 tensorflow_git_version string, 7 stripped_default_attrs bool,
    8 function_aliases map string
MetaGraphDef: 1 meta_info_def MetaInfoDef, 2 graph_def GraphDef, 3 saver_def SaverDef, 4 collection_def map CollectionDef,
    5 signature_def map SignatureDef, 6 asset_file_def repeated AssetFileDef, 7 object_graph_def SavedObjectGraph
SavedModel: 1 saved_model_schema_version int64, 2 meta_graphs repeated MetaGraphDef
NoneValue:
TensorSpecProto: 1 name string, 2 shape TensorShapeProto, 3 dtype int32
BoundedTensorSpecProto: 1 name string, 2 shape TensorShapeProto, 3 dtype int32, 4 minimum TensorProto,
    5 maximum TensorProto
TypeSpecProto: 1 type_spec_class int32, 2 type_state StructuredValue, 3 type_spec_class_name string,
    4 num_flat_components int32
ListValue: 1 values repeated StructuredValue
TupleValue: 1 values repeated StructuredValue
DictValue: 1 fields map StructuredValue
PairValue: 1 key string, 2 value StructuredValue
NamedTupleValue: 1 name string, 2 values repeated PairValue
StructuredValue: 1 none_value NoneValue in kind, 11 float64_value double in kind, 12 int64_value sint64 in kind,
    13 string_value string in kind, 14 bool_value bool in kind, 31 tensor_shape_value TensorShapeProto in kind,
    32 tensor_dtype_value int32 in kind, 33 tensor_spec_value TensorSpecProto in kind,
    34 type_spec_value TypeSpecProto in kind, 35 bounded_tensor_spec_value BoundedTensorSpecProto in kind,
    51 list_value ListValue in kind, 52 tuple_value TupleValue in kind, 53 dict_value DictValue in kind,
    54 named_tuple_value NamedTupleValue in kind, 55 tensor_value TensorProto in kind, 56 numpy_value TensorProto in kind
FunctionSpec: 1 fullargspec StructuredValue, 2 is_method bool, 5 input_signature StructuredValue, 6 jit_compile int32
Reference: 1 node_id int32, 2 local_name string
SlotVariable: 1 original_variable_node_id int32, 2 slot_name string, 3 slot_variable_node_id int32
SerializedTensor: 1 name string, 2 full_name string, 3 checkpoint_key string
RegisteredSaver: 1 name string, 2 object_name string
BoolValue: 1 value bool
TrackableObject: 1 children repeated Reference, 2 attributes repeated SerializedTensor,
    3 slot_variables repeated SlotVariable, 4 registered_saver RegisteredSaver, 5 has_checkpoint_values BoolValue
TrackableObjectGraph: 1 nodes repeated TrackableObject
SavedUserObject: 1 identifier string, 2 version VersionDef, 3 metadata string
SavedAsset: 1 asset_file_def_index int32
SavedFunction: 1 concrete_functions repeated string, 2 function_spec FunctionSpec
SavedVariable: 1 dtype int32, 2 shape TensorShapeProto, 3 trainable bool, 4 synchronization int32, 5 aggregation int32,
    6 name string, 7 device string, 8 experimental_distributed_variable_components repeated SavedVariable
SavedBareConcreteFunction: 1 concrete_function_name string, 2 argument_keywords repeated string,
    3 allowed_positional_arguments int64, 4 function_spec FunctionSpec
SavedConstant: 1 operation string
SavedResource: 1 device string
CapturedTensor: 1 name string, 2 concrete_function string
SaveableObject: 2 save_function int32, 3 restore_function int32
SavedObject: 1 children repeated Reference, 15 dependencies repeated Reference, 3 slot_variables repeated SlotVariable,
    4 user_object SavedUserObject in kind, 5 asset SavedAsset in kind, 6 function SavedFunction in kind,
    7 variable SavedVariable in kind, 8 bare_concrete_function SavedBareConcreteFunction in kind,
    9 constant SavedConstant in kind, 10 resource SavedResource in kind, 12 captured_tensor CapturedTensor in kind,
    11 saveable_objects map SaveableObject, 13 registered_name string, 14 serialized_user_proto AnyMessage,
    16 registered_saver string
SavedConcreteFunction: 2 bound_inputs repeated int32, 3 canonicalized_input_signature StructuredValue,
    4 output_signature StructuredValue
SavedObjectGraph: 1 nodes repeated SavedObject, 2 concrete_functions map SavedConcreteFunction
BundleHeaderProto: 1 num_shards int32, 2 endianness int32, 3 version VersionDef
Extent: 1 start int64, 2 length int64 in has_length
TensorSliceProto: 1 extent repeated Extent
BundleEntryProto: 1 dtype int32, 2 shape TensorShapeProto, 3 shard_id int32, 4 offset int64, 5 size int64,
    6 crc32c fixed32, 7 slices repeated TensorSliceProto
"""  # noqa: E501

MESSAGES = message_classes(_TABLE)
AssetFileDef, AttrList, AttrValue = (MESSAGES[n] for n in ("AssetFileDef", "AttrList", "AttrValue"))
BundleEntryProto, BundleHeaderProto = MESSAGES["BundleEntryProto"], MESSAGES["BundleHeaderProto"]
CollectionDef, FunctionDef = MESSAGES["CollectionDef"], MESSAGES["FunctionDef"]
FunctionDefLibrary, FunctionSpec, GraphDef = (MESSAGES[n] for n in ("FunctionDefLibrary", "FunctionSpec", "GraphDef"))
MetaGraphDef, MetaInfoDef, NameAttrList = (MESSAGES[n] for n in ("MetaGraphDef", "MetaInfoDef", "NameAttrList"))
NodeDef, OpDef, SavedModel, SavedObject = (MESSAGES[n] for n in ("NodeDef", "OpDef", "SavedModel", "SavedObject"))
SavedObjectGraph, SignatureDef = MESSAGES["SavedObjectGraph"], MESSAGES["SignatureDef"]
StructuredValue, TensorInfo, TensorProto = (MESSAGES[n] for n in ("StructuredValue", "TensorInfo", "TensorProto"))
TensorShapeProto, TrackableObjectGraph = MESSAGES["TensorShapeProto"], MESSAGES["TrackableObjectGraph"]
VariableDef, VersionDef = MESSAGES["VariableDef"], MESSAGES["VersionDef"]

_MOST_BYTES = (1 << 31) - 1  # protobuf's own limit


def parsed(kind: Any, path: str) -> Any:
    """The message in a file. ValueError, in words for after 'it', if it holds none.

    protobuf itself refuses messages that are nested more than 100 deep; what they hold takes some ten times the bytes
    of the file, whatever they say.
    """
    if os.path.getsize(path) > _MOST_BYTES:
        raise ValueError("has more than 2 GiB, which no protocol buffer message can have")
    with open(path, "rb") as file:
        content = file.read()
    try:
        return kind.FromString(content)
    except (DecodeError, RecursionError) as error:
        raise ValueError(f"is no {kind.DESCRIPTOR.name} message ({error})") from None
