"""Values, primitives and frames. Imports NumPy only, and knows no operation by name."""
