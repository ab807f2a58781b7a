"""`tf.compat`: the few names of TensorFlow 1 that programs for version 2 still use."""

from types import SimpleNamespace

from .normalization import fused_batch_norm as _fused_batch_norm

v1 = SimpleNamespace(nn=SimpleNamespace(fused_batch_norm=_fused_batch_norm))
