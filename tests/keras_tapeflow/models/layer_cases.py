"""Every Keras layer with weights and every loss, with something to give to it. Any backend: all that is imported is
Keras and NumPy."""

import zlib

import keras
import numpy as np
from keras import layers

SEQUENCE, IMAGE, VOLUME = (2, 5, 4), (2, 6, 6, 3), (2, 4, 4, 4, 2)


# A layer by its name (what comes after a space tells two cases of it apart), and the shapes of its inputs.
LAYERS = {
    "Dense": (lambda **how: layers.Dense(3, activation="tanh", **how), [(2, 4)]),
    "EinsumDense": (
        lambda **how: layers.EinsumDense("abc,cd->abd", output_shape=(5, 3), bias_axes="d", **how),
        [SEQUENCE],
    ),
    "Embedding": (lambda **how: layers.Embedding(6, 3, **how), []),
    "ReversibleEmbedding": (lambda **how: layers.ReversibleEmbedding(6, 3, **how), []),
    "ReversibleEmbedding reversed": (
        lambda **how: layers.ReversibleEmbedding(6, 4, logit_soft_cap=2.0, **how),
        [SEQUENCE],
    ),
    "Conv1D": (lambda **how: layers.Conv1D(3, 2, **how), [SEQUENCE]),
    "Conv1D causal": (
        lambda **how: layers.Conv1D(4, 2, padding="causal", dilation_rate=2, groups=2, **how),
        [SEQUENCE],
    ),
    "Conv2D": (lambda **how: layers.Conv2D(3, 3, strides=2, padding="same", **how), [IMAGE]),
    "Conv3D": (lambda **how: layers.Conv3D(2, 2, **how), [VOLUME]),
    "Conv1DTranspose": (lambda **how: layers.Conv1DTranspose(3, 3, strides=2, **how), [SEQUENCE]),
    "Conv2DTranspose": (lambda **how: layers.Conv2DTranspose(2, 3, strides=2, padding="same", **how), [IMAGE]),
    "Conv3DTranspose": (lambda **how: layers.Conv3DTranspose(2, 2, strides=2, **how), [VOLUME]),
    "DepthwiseConv1D": (lambda **how: layers.DepthwiseConv1D(2, depth_multiplier=2, **how), [SEQUENCE]),
    "DepthwiseConv2D": (lambda **how: layers.DepthwiseConv2D(3, **how), [IMAGE]),
    "SeparableConv1D": (lambda **how: layers.SeparableConv1D(2, 3, **how), [SEQUENCE]),
    "SeparableConv2D": (lambda **how: layers.SeparableConv2D(2, 3, **how), [IMAGE]),
    "LayerNormalization": (layers.LayerNormalization, [SEQUENCE]),
    "RMSNormalization": (layers.RMSNormalization, [SEQUENCE]),
    "BatchNormalization": (layers.BatchNormalization, [IMAGE]),
    "BatchNormalization training": (layers.BatchNormalization, [IMAGE]),
    "GroupNormalization": (lambda **how: layers.GroupNormalization(groups=2, **how), [SEQUENCE]),
    "SpectralNormalization": (lambda **how: layers.SpectralNormalization(layers.Dense(3, **how), **how), [(2, 4)]),
    "SpectralNormalization training": (
        lambda **how: layers.SpectralNormalization(layers.Conv2D(2, 2, **how), **how),
        [IMAGE],
    ),
    "Normalization": (layers.Normalization, [(3, 4)]),
    "STFTSpectrogram": (
        lambda **how: layers.STFTSpectrogram(frame_length=4, frame_step=2, fft_length=8, **how),
        [(2, 12, 1)],
    ),
    "PReLU": (layers.PReLU, [(2, 4)]),
    "SimpleRNN": (lambda **how: layers.SimpleRNN(3, return_sequences=True, **how), [SEQUENCE]),
    "LSTM": (lambda **how: layers.LSTM(3, return_sequences=True, **how), [SEQUENCE]),
    "GRU": (lambda **how: layers.GRU(3, **how), [SEQUENCE]),
    "GRU reset before": (lambda **how: layers.GRU(3, reset_after=False, go_backwards=True, **how), [SEQUENCE]),
    "Bidirectional": (lambda **how: layers.Bidirectional(layers.LSTM(2, **how), **how), [SEQUENCE]),
    "SimpleRNNCell": (lambda **how: layers.SimpleRNNCell(3, **how), [(2, 4), (2, 3)]),
    "LSTMCell": (lambda **how: layers.LSTMCell(3, **how), [(2, 4), (2, 3), (2, 3)]),
    "GRUCell": (lambda **how: layers.GRUCell(3, **how), [(2, 4), (2, 3)]),
    "StackedRNNCells": (
        lambda **how: layers.StackedRNNCells([layers.SimpleRNNCell(n, **how) for n in (3, 2)], **how),
        [(2, 4), (2, 3), (2, 2)],
    ),
    "RNN": (
        lambda **how: layers.RNN(
            layers.StackedRNNCells([layers.LSTMCell(3, **how), layers.GRUCell(2, **how)], **how), **how
        ),
        [SEQUENCE],
    ),
    "ConvLSTM1D": (lambda **how: layers.ConvLSTM1D(2, 2, **how), [(2, 3, 5, 2)]),
    "ConvLSTM2D": (lambda **how: layers.ConvLSTM2D(2, 2, **how), [(2, 2, 4, 3, 2)]),
    "ConvLSTM3D": (lambda **how: layers.ConvLSTM3D(2, 2, **how), [(1, 2, 3, 3, 2, 1)]),
    "TimeDistributed": (lambda **how: layers.TimeDistributed(layers.Dense(2, **how), **how), [SEQUENCE]),
    "MultiHeadAttention": (
        lambda **how: layers.MultiHeadAttention(num_heads=2, key_dim=3, **how),
        [SEQUENCE, (2, 3, 4)],
    ),
    "GroupQueryAttention": (
        lambda **how: layers.GroupQueryAttention(3, num_query_heads=4, num_key_value_heads=2, **how),
        [SEQUENCE, (2, 3, 4)],
    ),
    "Attention": (lambda **how: layers.Attention(use_scale=True, **how), [SEQUENCE, (2, 3, 4)]),
    "Attention concat": (lambda **how: layers.Attention(score_mode="concat", **how), [SEQUENCE, (2, 3, 4)]),
    "AdditiveAttention": (layers.AdditiveAttention, [SEQUENCE, (2, 3, 4)]),
}

# Layers that have no weights, that only hold other layers, or that wrap another framework's.
OTHER_LAYERS = set("""
Activation ActivityRegularization AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D
AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D Add AlphaDropout AugMix AutoContrast Average
AveragePooling1D AveragePooling2D AveragePooling3D CategoryEncoding CenterCrop Concatenate
ContrastLimitedAdaptiveHistogramEqualization Cropping1D Cropping2D Cropping3D CutMix Discretization Dot Dropout ELU
Equalization Flatten GaussianDropout GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D
GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D HashedCrossing Hashing Identity InputLayer IntegerLookup
Lambda LeakyReLU Masking MaxNumBoundingBoxes MaxPooling1D MaxPooling2D MaxPooling3D Maximum MelSpectrogram Minimum
MixUp Multiply Permute RandAugment RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast RandomCrop
RandomElasticTransform RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHue RandomInvert
RandomPerspective RandomPosterization RandomRotation RandomSaturation RandomSharpness RandomShear RandomTranslation
RandomZoom ReLU RepeatVector Rescaling Reshape Resizing Softmax Solarization SpatialDropout1D SpatialDropout2D
SpatialDropout3D StringLookup Subtract TextVectorization UnitNormalization UpSampling1D UpSampling2D UpSampling3D
ZeroPadding1D ZeroPadding2D ZeroPadding3D Layer Pipeline Wrapper FlaxLayer JaxLayer TFSMLayer TorchModuleWrapper
""".split())  # fmt: skip


def built(name):
    """The layer in float64 with weights of our own, its inputs, and how to call it on these."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    make, shapes = LAYERS[name]
    layer = make(dtype="float64")
    xs = [rng.normal(size=shape) for shape in shapes]
    call = caller(name, layer)
    call([keras.KerasTensor(x.shape, "float64") for x in xs])  # builds it, and computes nothing
    for variable in layer.variables:
        if "float" in keras.backend.standardize_dtype(variable.dtype):
            draw = rng.normal(scale=0.5, size=variable.shape)
            variable.assign(1 + np.abs(draw) if "variance" in variable.path else draw)
    return layer, xs, call


def caller(name, layer):
    how = {"training": True} if name.endswith("training") else {}
    match name.split()[0]:
        case "Embedding" | "ReversibleEmbedding" if not name.endswith("reversed"):
            return lambda xs: layer(np.array([[1, 2, 1], [5, 0, 3]]))
        case "ReversibleEmbedding":
            return lambda xs: layer(xs[0], reverse=True)
        case "SimpleRNNCell" | "GRUCell" | "LSTMCell" | "StackedRNNCells":
            return lambda xs: layer(xs[0], list(xs[1:]))
        case "MultiHeadAttention" | "GroupQueryAttention":
            return lambda xs: layer(xs[0], xs[1])
        case "Attention" | "AdditiveAttention":
            return lambda xs: layer(list(xs))
        case _:
            return lambda xs: layer(xs[0], **how)


# Losses by their name (and, after a space, the case), with their options.
LOSSES = {name: {} for name in """
BinaryCrossentropy BinaryFocalCrossentropy CTC CategoricalCrossentropy CategoricalFocalCrossentropy
CategoricalGeneralizedCrossEntropy CategoricalHinge Circle CosineSimilarity Dice Hinge Huber KLDivergence LogCosh
MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson
SparseCategoricalCrossentropy SquaredHinge Tversky
""".split()} | {
    "BinaryCrossentropy logits": dict(from_logits=True, label_smoothing=0.1),
    "BinaryFocalCrossentropy logits": dict(from_logits=True, apply_class_balancing=True),
    "CategoricalCrossentropy logits": dict(from_logits=True, label_smoothing=0.1, reduction="sum"),
    "CategoricalFocalCrossentropy logits": dict(from_logits=True),
    "SparseCategoricalCrossentropy logits": dict(from_logits=True, ignore_class=1),
}  # fmt: skip

OF_PROBABILITIES = set("""
BinaryCrossentropy BinaryFocalCrossentropy CategoricalCrossentropy CategoricalFocalCrossentropy
CategoricalGeneralizedCrossEntropy Dice KLDivergence MeanAbsolutePercentageError MeanSquaredLogarithmicError Poisson
SparseCategoricalCrossentropy Tversky
""".split())  # fmt: skip


def a_loss(name):
    """The loss in float64, targets and predictions."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    kind = name.split()[0]
    loss = getattr(keras.losses, kind)(**LOSSES[name], dtype="float64")
    target, guess = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    if kind in OF_PROBABILITIES:
        target, likely = (np.exp(v) / np.exp(v).sum(1, keepdims=True) for v in (target, guess))
        guess = guess if name.endswith("logits") else likely
    if kind in ("SparseCategoricalCrossentropy", "CategoricalGeneralizedCrossEntropy"):
        target = np.array([0, 2, 1, 1])
    if kind == "Circle":
        target, guess = np.array([0, 1, 0, 1]), guess / np.linalg.norm(guess, axis=1, keepdims=True)
    if kind == "CTC":
        target, guess = np.array([[1, 2], [2, 1]]), rng.normal(size=(2, 6, 4))
    return loss, target, guess
