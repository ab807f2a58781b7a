"""The samplers of `tapeflow/ops/samplers` in XLA's terms: the same words, the same numbers (floats to rounding)."""
