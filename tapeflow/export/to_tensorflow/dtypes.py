"""Which dtypes TensorFlow's operators take: a model with another one could be saved, but not loaded.

A line has the dtypes, then the attributes: all of one name, or for an operator alone. What is not here takes any.
"""

from tapeflow.core.dtypes import BY_NUMPY

_FAMILIES = {
    "floats": "bfloat16 float16 float32 float64",
    "complexes": "complex64 complex128",
    "signed": "int8 int16 int32 int64",
    "unsigned": "uint8 uint16 uint32 uint64",
    "index": "int32 int64",
}

_TABLE = """
floats complexes signed: Neg.T Reciprocal.T Sign.T Pow.T
floats complexes: Sqrt.T Exp.T Expm1.T Log.T Log1p.T Sin.T Cos.T Tan.T Asin.T Acos.T Atan.T Sinh.T Cosh.T Tanh.T
    Asinh.T Acosh.T Atanh.T Sigmoid.T Rsqrt.T DivNoNan.T
floats signed: Abs.T
floats: Floor.T Ceil.T Rint.T Erf.T Erfc.T Erfinv.T Ndtri.T Lgamma.T Digamma.T Elu.T Selu.T Softplus.T Softsign.T
    LeakyRelu.T IsNan.T IsInf.T IsFinite.T AvgPool3D.T Atan2.T Igamma.T Igammac.T Softmax.T LogSoftmax.T Conv3D.T
    DepthwiseConv2dNative.T DepthwiseConv2dNativeBackpropInput.T Conv3DBackpropInputV2.T AvgPool.T
    CumulativeLogsumexp.T Dawsn.T FresnelSin.T FresnelCos.T Spence.T BesselI0.T BesselI1.T BesselI0e.T BesselI1e.T
    BesselJ0.T BesselJ1.T BesselK0.T BesselK1.T BesselK0e.T BesselK1e.T BesselY0.T BesselY1.T
floats complexes signed unsigned: Square.T AddV2.T Sub.T Mul.T RealDiv.T FloorDiv.T TruncateDiv.T AddN.T Sum.T Mean.T
    Prod.T Cumsum.T Cumprod.T UnsortedSegmentSum.T UnsortedSegmentProd.T
signed unsigned: PopulationCount.T Invert.T BitwiseAnd.T BitwiseOr.T BitwiseXor.T LeftShift.T RightShift.T
floats signed unsigned: Relu.T Relu6.T FloorMod.T Maximum.T Minimum.T Less.T LessEqual.T Greater.T GreaterEqual.T
    Max.T Min.T TopKV2.T UnsortedSegmentMax.T UnsortedSegmentMin.T
floats signed uint8 uint16: MaxPool.T
bfloat16 float16 float32: MaxPool3D.T
complexes float16 float32 float64: MatrixDeterminant.T Cholesky.T MatrixInverse.T Qr.T Svd.T SelfAdjointEigV2.T
    MatrixSolve.T LogMatrixDeterminant.T Lu.T MatrixSquareRoot.T
complexes floats: MatrixTriangularSolve.T
complexes float32 float64: Eig.T
complexes: Conj.T Complex.Tout Real.T Imag.T ComplexAbs.T Angle.T Eig.Tout FFT.Tcomplex FFT2D.Tcomplex FFT3D.Tcomplex
    IFFT.Tcomplex IFFT2D.Tcomplex IFFT3D.Tcomplex RFFT.Tcomplex RFFT2D.Tcomplex RFFT3D.Tcomplex IRFFT.Tcomplex
    IRFFT2D.Tcomplex IRFFT3D.Tcomplex
floats index: TruncateMod.T
float32 float64: Betainc.T Angle.Tout RFFT.Treal RFFT2D.Treal RFFT3D.Treal IRFFT.Treal IRFFT2D.Treal IRFFT3D.Treal
    Polygamma.T Zeta.T NextAfter.T Complex.T Real.Tout Imag.Tout ComplexAbs.Tout
floats bool signed unsigned: ArgMax.T ArgMin.T
int16 index: StridedSlice.Index GatherV2.Tindices UnsortedSegmentSum.Tindices TopKV2.index_type
int16 index uint16: ArgMax.output_type TensorScatterUpdate.Tindices
index: Lu.output_idx_type Substr.T ArgMin.output_type UnsortedSegmentMax.Tindices UnsortedSegmentMin.Tindices
    UnsortedSegmentProd.Tindices TensorScatterMax.Tindices TensorScatterMin.Tindices
floats complexes index unsigned: MatMul.T
floats complexes int16 index unsigned: BatchMatMulV2.T
floats bool complexes signed unsigned string: ReverseV2.T AsString.T
floats int32: Conv2D.T Conv2DBackpropInput.T
float32 float64 index uint32 uint64: StringToNumber.out_type
floats complexes signed unsigned: Bitcast.T Bitcast.type
floats bool complexes signed unsigned: Where.T
floats: StatelessRandomUniformV2.dtype StatelessRandomNormalV2.dtype StatelessTruncatedNormalV2.dtype
index uint32 uint64: StatelessRandomUniformFullIntV2.dtype StatelessRandomUniformIntV2.dtype
"""


def _allowed() -> dict[tuple[str, str], frozenset[int]]:
    numbers = {dtype.name: dtype.as_datatype_enum for dtype in BY_NUMPY.values()}
    found = {}
    for line in _TABLE.strip().replace("\n ", " ").splitlines():
        words, _, places = line.partition(":")
        names = [name for word in words.split() for name in _FAMILIES.get(word, word).split()]
        for place in places.split():
            operator, _, attribute = place.partition(".")
            found[operator, attribute] = frozenset(numbers[name] for name in names)
    return found


ALLOWED = _allowed()  # by operator and attribute, the numbers of dtypes
