"""Keras' operations of neural networks."""

from .activations import (
    celu as celu,
    elu as elu,
    gelu as gelu,
    glu as glu,
    hard_shrink as hard_shrink,
    hard_sigmoid as hard_sigmoid,
    hard_silu as hard_silu,
    hard_tanh as hard_tanh,
    leaky_relu as leaky_relu,
    log_sigmoid as log_sigmoid,
    log_softmax as log_softmax,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    sigmoid as sigmoid,
    silu as silu,
    soft_shrink as soft_shrink,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
    sparse_plus as sparse_plus,
    sparse_sigmoid as sparse_sigmoid,
    sparsemax as sparsemax,
    squareplus as squareplus,
    tanh as tanh,
    tanh_shrink as tanh_shrink,
    threshold as threshold,
)
from .attention import dot_product_attention as dot_product_attention
from .convolution import (
    conv as conv,
    conv_transpose as conv_transpose,
    depthwise_conv as depthwise_conv,
    separable_conv as separable_conv,
)
from .ctc import ctc_decode as ctc_decode, ctc_loss as ctc_loss
from .encodings import (
    depth_to_space as depth_to_space,
    fold as fold,
    multi_hot as multi_hot,
    one_hot as one_hot,
    space_to_depth as space_to_depth,
    unfold as unfold,
)
from .losses import (
    binary_crossentropy as binary_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    psnr as psnr,
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from .normalization import batch_normalization as batch_normalization, moments as moments
from .pooling import (
    adaptive_average_pool as adaptive_average_pool,
    adaptive_max_pool as adaptive_max_pool,
    average_pool as average_pool,
    max_pool as max_pool,
)
