"""XLA kernels for `tapeflow/ops/linalg`."""
