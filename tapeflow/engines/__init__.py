"""Engines: what computes. NumPy's kernels stand in the declarations of the primitives; each other engine has its own
here."""
