"""XLA kernels for `tapeflow/ops/math`."""
