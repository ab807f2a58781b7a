"""NumPy's kernels that are too long to stand in a declaration; the folders are those of `tapeflow/ops`."""
