"""XLA kernels for `tapeflow/ops/random`."""
