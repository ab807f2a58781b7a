"""TensorFlow's operators that graphs are written with: what they take and give.

A line has the names of operators of one kind, then inputs and outputs: each with its name, and its dtype or the
attribute that has it. `*T#N` is a list of N tensors of one dtype, `*Tin` one of any dtypes.
"""

from typing import NamedTuple

_TABLE = """
Neg Sqrt Reciprocal Abs Sign Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh
    Sigmoid Floor Ceil Rint Erf Erfc Erfinv Ndtri Lgamma Digamma Square Rsqrt Invert ZerosLike: x T -> y T
Relu Relu6 Elu Selu Softplus Softsign LeakyRelu: features T -> activations T
IsNan IsInf IsFinite: x T -> y bool
LogicalNot: x bool -> y bool
Identity MaxPool MaxPool3D AvgPool3D Squeeze MatrixDeterminant Cholesky MatrixInverse Conj: input T -> output T
AddV2 Sub Mul RealDiv FloorDiv FloorMod TruncateDiv TruncateMod DivNoNan Pow Maximum Minimum BitwiseAnd
    BitwiseOr BitwiseXor LeftShift RightShift: x T, y T -> z T
Atan2: y T, x T -> z T
Less LessEqual Greater GreaterEqual Equal NotEqual: x T, y T -> z bool
LogicalAnd LogicalOr: x bool, y bool -> z bool
Igamma Igammac Polygamma: a T, x T -> z T
Zeta: x T, q T -> z T
NextAfter: x1 T, x2 T -> output T
AddN: inputs *T#N -> sum T
SelectV2: condition bool, t T, e T -> output T
Cast: x SrcT -> y DstT
ArgMax ArgMin: input T, dimension Tidx -> output output_type
Sum Mean Max Min Prod: input T, reduction_indices Tidx -> output T
Any All: input bool, reduction_indices Tidx -> output bool
Cumsum Cumprod: x T, axis Tidx -> out T
MatMul: a T, b T -> product T
BatchMatMulV2: x T, y T -> output T
Einsum: inputs *T#N -> output T
Reshape: tensor T, shape Tshape -> output T
BroadcastTo: input T, shape Tidx -> output T
Transpose: x T, perm Tperm -> y T
StridedSlice: input T, begin Index, end Index, strides Index -> output T
StridedSliceGrad: shape Index, begin Index, end Index, strides Index, dy T -> output T
ReverseV2: tensor T, axis Tidx -> output T
Roll: input T, shift Tshift, axis Taxis -> output T
ConcatV2: values *T#N, axis Tidx -> output T
Pack: values *T#N -> output T
Unpack: value T -> output *T#num
Split: split_dim int32, value T -> output *T#num_split
Slice: input T, begin Index, size Index -> output T
SplitV: value T, size_splits Tlen, split_dim int32 -> output *T#num_split
GatherV2: params Tparams, indices Tindices, axis Taxis -> output Tparams
TopKV2: input T, k Tk -> values T, indices index_type
Softmax: logits T -> softmax T
LogSoftmax: logits T -> logsoftmax T
Conv2D Conv3D DepthwiseConv2dNative: input T, filter T -> output T
Conv2DBackpropInput DepthwiseConv2dNativeBackpropInput: input_sizes int32, filter T, out_backprop T -> output T
Conv3DBackpropInputV2: input_sizes Tshape, filter T, out_backprop T -> output T
AvgPool: value T -> output T
Pad: input T, paddings Tpaddings -> output T
PadV2: input T, paddings Tpaddings, constant_values T -> output T
ExpandDims: input T, dim Tdim -> output T
StringLower StringUpper StringStrip StaticRegexReplace: input string -> output string
StringLength: input string -> output int32
RegexReplace: input string, pattern string, rewrite string -> output string
StaticRegexFullMatch: input string -> output bool
StringJoin: inputs *string#N -> output string
StringToNumber: string_tensor string -> output out_type
Where: input T -> index int64
UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd: data T, segment_ids Tindices,
    num_segments Tnumsegments -> output T
TensorScatterUpdate TensorScatterMax TensorScatterMin: tensor T, indices Tindices, updates T -> output T
MatrixBandPart: input T, num_lower Tindex, num_upper Tindex -> band T
Const: -> output dtype
ReadVariableOp: resource resource -> value dtype
AssignVariableOp: resource resource, value dtype ->
Shape: input T -> output out_type
StatelessIf: cond Tcond, input *Tin -> output *Tout
StatelessCase: branch_index int32, input *Tin -> output *Tout
StatelessWhile: input *T -> output *T
EmptyTensorList: element_shape shape_type, max_num_elements int32 -> handle variant
TensorListPushBack: input_handle variant, tensor element_dtype -> output_handle variant
TensorListStack: input_handle variant, element_shape int32 -> tensor element_dtype
Fill: dims index_type, value T -> output T
Complex: real T, imag T -> out Tout
Angle: input T -> output Tout
Qr: input T -> q T, r T
Lu: input T -> lu T, p output_idx_type
LogMatrixDeterminant: input T -> sign T, log_abs_determinant T
MatrixSolve MatrixTriangularSolve: matrix T, rhs T -> output T
MatrixSquareRoot: input T -> output T
SelfAdjointEigV2: input T -> e T, v T
Eig: input T -> e Tout, v Tout
Svd: input T -> s T, u T, v T
FFT FFT2D FFT3D IFFT IFFT2D IFFT3D: input Tcomplex -> output Tcomplex
RFFT RFFT2D RFFT3D: input Treal, fft_length int32 -> output Tcomplex
IRFFT IRFFT2D IRFFT3D: input Tcomplex, fft_length int32 -> output Treal
Betainc: a T, b T, x T -> z T
BesselI0 BesselI1 BesselI0e BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK1 BesselK0e BesselK1e BesselY0 BesselY1 Dawsn
    FresnelSin FresnelCos Spence: x T -> y T
CumulativeLogsumexp: x T, axis Tidx -> out T
PopulationCount: x T -> y uint8
Bitcast: input T -> output type
Substr: input string, pos T, len T -> output string
ReduceJoin: inputs string, reduction_indices int32 -> output string
UnicodeTranscode: input string -> output string
StringToHashBucket: string_tensor string -> output int64
StringToHashBucketStrong: input string -> output int64
AsString: input T -> output string
StringToHashBucketFast: input string -> output int64
StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2 StatelessRandomUniformFullIntV2:
    shape Tshape, key uint64, counter uint64, alg int32 -> output dtype
StatelessRandomUniformIntV2: shape Tshape, key uint64, counter uint64, alg int32, minval dtype, maxval dtype ->
    output dtype
StatelessRandomGetKeyCounter: seed Tseed -> key uint64, counter uint64
RandomUniformInt: shape T, minval Tout, maxval Tout -> output Tout
HashTableV2: -> table_handle resource
InitializeTableV2: table_handle resource, keys Tkey, values Tval ->
InitializeTableFromTextFileV2: table_handle resource, filename string ->
LookupTableFindV2: table_handle resource, keys Tin, default_value Tout -> values Tout
StatefulPartitionedCall: args *Tin -> output *Tout
Real Imag: input T -> output Tout
ComplexAbs: x T -> y Tout
"""


class Argument(NamedTuple):
    """An input or output: `kind` is a dtype, or the attribute that has it; `number` that of how many there are."""

    name: str
    kind: str
    several: bool
    number: str


class Operator(NamedTuple):
    inputs: list[Argument]
    outputs: list[Argument]


def _argument(text: str) -> Argument:
    name, _, kind = text.partition(" ")
    kind, _, number = kind.partition("#")
    return Argument(name, kind.lstrip("*"), kind.startswith("*"), number)


def _arguments(text: str) -> list[Argument]:
    return [_argument(part.strip()) for part in text.split(",") if part.strip()]


def _operators() -> dict[str, Operator]:
    found: dict[str, Operator] = {}
    for line in _TABLE.strip().replace("\n ", " ").splitlines():
        names, _, signature = line.partition(":")
        inputs, _, outputs = signature.partition("->")
        found |= dict.fromkeys(names.split(), Operator(_arguments(inputs), _arguments(outputs)))
    return found


OPERATORS = _operators()
