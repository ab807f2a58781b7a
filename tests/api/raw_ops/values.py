"""Calls of operations of `tf.raw_ops`, by keyword: of those that exported graphs use."""

import numpy as np

F = lambda *values: np.array(values, np.float32)
N = lambda *values: np.array(values, np.int32)
L = lambda *values: np.array(values, np.int64)
S = lambda *values: np.array([v.encode() for v in values], object)
IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 7
FILTER = np.arange(36, dtype=np.float32).reshape(3, 3, 2, 2) / 11
C = (np.arange(16).reshape(2, 4, 2) * (1 - 0.5j) / 7).astype(np.complex64)
VOLUME = np.arange(16, dtype=np.float32).reshape(1, 2, 2, 2, 2)
SPARSE = {"input_indices": L([0, 0], [1, 2]), "input_values": F(1, 2), "input_shape": L(2, 3)}

CALLS = [
    ("TruncateDiv", {"x": N(-7, 7), "y": N(2, -2)}),
    ("TruncateMod", {"x": N(-7, 7), "y": N(2, -2)}),
    ("Xlog1py", {"x": F(0, 2), "y": F(-1, 1)}),
    ("BitwiseAnd", {"x": N(6, 5), "y": N(3, 4)}),
    ("LeftShift", {"x": N(1, 3), "y": N(2, 1)}),
    ("ApproximateEqual", {"x": F(1, 2), "y": F(1.001, 2), "tolerance": 0.0001}),
    ("Bitcast", {"input": F(1, 2), "type": "int32"}),
    ("Bucketize", {"input": F([1, 5], [10, 0.5]), "boundaries": [1.0, 5.0, 7.0]}),
    ("EuclideanNorm", {"input": F([3, 4]), "axis": N(1)}),
    ("CumulativeLogsumexp", {"x": F(1, 2, 3), "axis": np.int32(0)}),
    ("SegmentMean", {"data": F(1, 3, 5), "segment_ids": N(0, 0, 1)}),
    ("UnsortedSegmentMax", {"data": F(1, 3, 5), "segment_ids": N(1, 0, 1), "num_segments": np.int32(2)}),
    ("DenseBincount", {"input": N(1, 2, 2, 0), "size": np.int32(3), "weights": F()}),
    ("DenseBincount", {"input": N([1, 2], [2, 5]), "size": np.int32(3), "weights": F(), "binary_output": True}),
    ("DenseBincount", {"input": N(1, 2, 2), "size": np.int32(3), "weights": F(1, 2, 3)}),
    ("InTopKV2", {"predictions": F([1, 2, 3], [3, 2, 1]), "targets": N(2, 1), "k": np.int32(1)}),
    ("ListDiff", {"x": N(1, 2, 3, 4), "y": N(2, 4)}),
    ("LowerBound", {"sorted_inputs": F([1, 2, 2, 3]), "values": F([2, 0])}),
    ("UpperBound", {"sorted_inputs": F([1, 2, 2, 3]), "values": F([2, 0])}),
    ("MatrixBandPart", {"input": F([1, 2], [3, 4]), "num_lower": np.int64(0), "num_upper": np.int64(-1)}),
    ("MatrixDiagV3", {"diagonal": F(1, 2), "k": np.int32(0), "num_rows": np.int32(-1), "num_cols": np.int32(3),
                      "padding_value": np.float32(9)}),
    ("MatrixDiagPartV3", {"input": F([1, 2], [3, 4]), "k": np.int32(0), "padding_value": np.float32(0)}),
    ("MatrixSetDiagV3", {"input": F([1, 2], [3, 4]), "diagonal": F(7, 8), "k": np.int32(0)}),
    ("LogMatrixDeterminant", {"input": F([2, 0], [0, -3])}),
    ("Concat", {"concat_dim": np.int32(1), "values": [F([1], [2]), F([3], [4])]}),
    ("ConcatOffset", {"concat_dim": np.int32(1), "shape": [N(2, 3), N(2, 5), N(2, 1)]}),
    ("ShapeN", {"input": [F(1, 2), F([1])]}),
    ("BroadcastArgs", {"s0": N(2, 1), "s1": N(3)}),
    ("DynamicStitch", {"indices": [N(0, 2), N(1)], "data": [F(1, 3), F(2)]}),
    ("DynamicPartition", {"data": F(1, 2, 3), "partitions": N(1, 0, 1), "num_partitions": 2}),
    ("ReverseSequence", {"input": F([1, 2, 3], [4, 5, 6]), "seq_lengths": L(2, 3), "seq_dim": 1}),
    ("SpaceToBatchND", {"input": IMAGE, "block_shape": N(2, 2), "paddings": N([0, 0], [0, 0])}),
    ("SpaceToDepth", {"input": IMAGE, "block_size": 2}),
    ("Conv2D", {"input": IMAGE, "filter": FILTER, "strides": [1, 2, 2, 1], "padding": "SAME"}),
    ("Conv2D", {"input": IMAGE, "filter": FILTER, "strides": [1, 1, 1, 1], "padding": "EXPLICIT",
                "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0], "dilations": [1, 1, 2, 1]}),
    ("DepthwiseConv2dNative", {"input": IMAGE, "filter": FILTER, "strides": [1, 1, 1, 1], "padding": "VALID"}),
    ("Conv2DBackpropInput", {"input_sizes": N(1, 8, 8, 2), "filter": FILTER, "out_backprop": IMAGE,
                             "strides": [1, 2, 2, 1], "padding": "SAME"}),
    ("Conv3D", {"input": VOLUME, "filter": np.ones((2, 2, 2, 2, 1), np.float32), "strides": [1] * 5,
                "padding": "SAME"}),
    ("MaxPool", {"input": IMAGE, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}),
    ("AvgPool", {"value": IMAGE, "ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}),
    ("MaxPoolWithArgmax", {"input": IMAGE, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}),
    ("LRN", {"input": IMAGE, "depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}),
    ("SoftmaxCrossEntropyWithLogits", {"features": F([1, 2], [3, 1]), "labels": F([0, 1], [0.5, 0.5])}),
    ("SparseSoftmaxCrossEntropyWithLogits", {"features": F([1, 2], [3, 1]), "labels": N(0, 1)}),
    ("ResizeBilinear", {"images": IMAGE, "size": N(3, 6), "half_pixel_centers": True}),
    ("ResizeNearestNeighbor", {"images": IMAGE, "size": N(8, 4)}),
    ("ResizeNearestNeighbor", {"images": IMAGE, "size": N(3, 6), "half_pixel_centers": True}),
    ("CropAndResize", {"image": IMAGE, "boxes": F([0, 0, 0.5, 1]), "box_ind": N(0), "crop_size": N(2, 3)}),
    ("ExtractImagePatches", {"images": IMAGE, "ksizes": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "rates": [1, 1, 1, 1],
                             "padding": "VALID"}),
    ("StringSplitV2", {"input": S("a b", "c"), "sep": np.array(b"", object)}),
    ("StringSplit", {"input": S("a,b", ",c"), "delimiter": np.array(b",", object)}),
    ("StringJoin", {"inputs": [S("a", "b"), S("c", "d")], "separator": "-"}),
    ("StaticRegexReplace", {"input": S("abc", "cab"), "pattern": "[ab]+", "rewrite": "x"}),
    ("StringToHashBucketFast", {"input": S("a", "bc"), "num_buckets": 100}),
    ("AsString", {"input": F(1, 2.5), "precision": 2}),
    ("Substr", {"input": S("hello", "world"), "pos": np.int32(1), "len": np.int32(3)}),
    ("StringToNumber", {"string_tensor": S("1", "2.5")}),
    ("ReduceJoin", {"inputs": S("a", "b"), "reduction_indices": N(0), "separator": "+"}),
    ("SparseToDense", {"sparse_indices": L([0, 1], [1, 0]), "output_shape": L(2, 2), "sparse_values": F(1, 2),
                       "default_value": np.float32(9)}),
    ("SparseToDense", {"sparse_indices": N(0, 2), "output_shape": N(3), "sparse_values": F(1, 2),
                       "default_value": np.float32(0)}),
    ("SparseReduceSum", {**SPARSE, "reduction_axes": N(1)}),
    ("SparseReduceSum", {**SPARSE, "reduction_axes": N()}),
    ("SparseReorder", {**SPARSE, "input_indices": L([1, 2], [0, 0])}),
    ("SparseReshape", {"input_indices": L([0, 0], [1, 2]), "input_shape": L(2, 3), "new_shape": L(3, -1)}),
    ("SparseConcat", {"indices": [L([0, 0]), L([1, 1])], "values": [F(1), F(2)], "shapes": [L(2, 2), L(2, 2)],
                      "concat_dim": 1}),
    ("SparseTensorDenseMatMul", {"a_indices": L([0, 0], [1, 2]), "a_values": F(1, 2), "a_shape": L(2, 3),
                                 "b": F([1, 2], [3, 4], [5, 6])}),
    ("SparseFillEmptyRows", {"indices": L([0, 1], [2, 0]), "values": F(1, 2), "dense_shape": L(4, 2),
                             "default_value": np.float32(7)}),
    ("RaggedTensorToTensor", {"shape": L(-1, -1), "values": F(1, 2, 3), "default_value": np.float32(0),
                              "row_partition_tensors": [L(0, 2, 2, 3)], "row_partition_types": ["ROW_SPLITS"]}),
    ("RaggedTensorToTensor", {"shape": L(-1, 4), "values": F(1, 2, 3), "default_value": np.float32(0),
                              "row_partition_tensors": [np.int64(3), L(0, 0, 2)],
                              "row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]}),
    ("RaggedTensorToSparse", {"rt_nested_splits": [L(0, 2, 3)], "rt_dense_values": F(1, 2, 3)}),
    ("RaggedGather", {"params_nested_splits": [L(0, 2, 3)], "params_dense_values": F(1, 2, 3), "indices": L(1, 0),
                      "OUTPUT_RAGGED_RANK": 1}),
    *[(name, {"x": F(0.3, 1.5, 4)}) for name in """BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0
        BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence""".split()],
    *[(name, {"input": C}) for name in ("FFT2D", "FFT3D", "IFFT2D", "IFFT3D")],
    *[(name, {"input": C.real, "fft_length": N(*size)}) for name, size in (
        ("RFFT", [2]), ("RFFT2D", [4, 2]), ("RFFT3D", [2, 4, 2]))],
    *[(name, {"input": C, "fft_length": N(*size)}) for name, size in (
        ("IRFFT", [2]), ("IRFFT2D", [4, 2]), ("IRFFT3D", [2, 4, 2]))],
    ("ConjugateTranspose", {"x": C[0], "perm": N(1, 0)}),
    ("Einsum", {"inputs": [F([1, 2], [3, 4]), F(1, 2)], "equation": "ij,j->i"}),
    ("Bincount", {"arr": N(1, 2, 2, 0), "size": np.int32(3), "weights": F()}),
    ("HistogramFixedWidth", {"values": F(-1, 0.5, 1.5, 9), "value_range": F(0, 3), "nbins": np.int32(3)}),
    ("InTopK", {"predictions": F([1, 2, 3], [3, 2, 1]), "targets": N(2, 1), "k": 1}),
    ("NthElement", {"input": F([3, 1, 2], [6, 5, 4]), "n": np.int32(1)}),
    ("NthElement", {"input": F([3, 1, 2], [6, 5, 4]), "n": np.int32(0), "reverse": True}),
    ("Reverse", {"tensor": F([1, 2], [3, 4]), "dims": np.array([False, True])}),
    ("UniqueV2", {"x": N(3, 1, 3), "axis": N(0)}),
    ("UniqueV2", {"x": N([1, 2], [1, 2], [0, 3]), "axis": N(0)}),
    ("UnravelIndex", {"indices": N(1, 5), "dims": N(2, 3)}),
    ("ScatterNdNonAliasingAdd", {"input": F(1, 2, 3), "indices": N([2], [0]), "updates": F(10, 20)}),
    ("Eig", {"input": F([2, 0], [0, 3]), "Tout": "complex64"}),
    ("Lu", {"input": F([1, 2], [3, 4])}),
    ("MatrixSquareRoot", {"input": F([4, 1], [0, 9])}),
    ("MatrixSolveLs", {"matrix": F([1, 0], [0, 2], [1, 1]), "rhs": F([1], [2], [3]),
                       "l2_regularizer": np.float64(0.5)}),
    ("TridiagonalMatMul", {"superdiag": F([1, 2, 0]), "maindiag": F([3, 4, 5]), "subdiag": F([0, 6, 7]),
                           "rhs": F([1], [2], [3])}),
    ("TridiagonalSolve", {"diagonals": F([1, 2, 0], [3, 4, 5], [0, 1, 1]), "rhs": F([1], [2], [3])}),
    ("BandedTriangularSolve", {"matrix": F([2, 3, 4], [0, 1, 1]), "rhs": F([1], [2], [3])}),
    ("MatrixDiagV2", {"diagonal": F([1, 2], [3, 0]), "k": N(0, 1), "num_rows": np.int32(2), "num_cols": np.int32(-1),
                      "padding_value": np.float32(9)}),
    ("MatrixSetDiagV2", {"input": F([1, 2, 3], [4, 5, 6]), "diagonal": F([7, 8], [9, 0]), "k": N(-1, 0)}),
    ("FakeQuantWithMinMaxArgs", {"inputs": F(-9, 0.123, 3.3), "num_bits": 4}),
    ("FakeQuantWithMinMaxVars", {"inputs": F(-9, 0.123, 3.3), "min": np.float32(-1), "max": np.float32(3)}),
    ("FakeQuantWithMinMaxVarsPerChannel", {"inputs": F([-9, 0.123]), "min": F(-1, -2), "max": F(3, 1)}),
    ("NonMaxSuppressionWithOverlaps", {"overlaps": F([1, 0.6], [0.6, 1]), "scores": F(0.5, 0.9),
                                       "max_output_size": np.int32(2), "overlap_threshold": np.float32(0.5),
                                       "score_threshold": np.float32(0)}),
    ("BiasAddGrad", {"out_backprop": IMAGE}),
    *[(name, {"gradients": F(1, 2, 3, 4), "features": F(-1, 0, 0.5, 7)}) for name in (
        "LeakyReluGrad", "ReluGrad", "Relu6Grad", "SoftplusGrad", "SoftsignGrad")],
    ("EluGrad", {"gradients": F(1, 2, 3), "outputs": F(-0.5, 0, 2)}),
    *[(name, {"y": F(0.5, 0.25, 2), "dy": F(1, 2, 3)}) for name in (
        "InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad")],
    ("UnicodeTranscode", {"input": S("né"), "input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"}),
    ("TopKV2", {"input": F([1, 3, 2]), "k": np.int32(2)}),
    ("UnsortedSegmentSum", {"data": F(1, 3, 5), "segment_ids": N(1, 0, 1), "num_segments": np.int32(2)}),
    ("BatchMatMulV3", {"x": F([1, 2]), "y": F([3], [4]), "Tout": "float32"}),
    ("RaggedRange", {"starts": N(0, 5), "limits": N(3, 7), "deltas": N(1, 1)}),
]  # fmt: skip


def answers(tf, flatten):
    """The results of the calls, by number: of TensorFlow, or of tapeflow, which knows sizes of results itself."""
    found = {}
    for number, (name, given) in enumerate(CALLS):
        given = {
            k: getattr(tf, v) if k in ("type", "Tout") else v
            for k, v in given.items()
            if k != "OUTPUT_RAGGED_RANK" or flatten
        }
        for k, result in enumerate(tf.nest.flatten(getattr(tf.raw_ops, name)(**given))):
            value = np.asarray(result)
            found[f"{number}/{k}"] = np.array(value, "S") if value.dtype.kind == "O" else value
    return found
