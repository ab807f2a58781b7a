"""XLA kernels for `tapeflow/ops/nn`."""
