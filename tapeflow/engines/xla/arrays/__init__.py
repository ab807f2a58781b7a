"""XLA kernels for `tapeflow/ops/arrays`."""
