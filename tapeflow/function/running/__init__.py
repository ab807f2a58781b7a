"""Running graphs: optimisation, the NumPy plan, the XLA plan, calls that a tape records."""
