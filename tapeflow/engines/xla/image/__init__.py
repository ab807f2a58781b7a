"""XLA kernels for `tapeflow/ops/image`."""
