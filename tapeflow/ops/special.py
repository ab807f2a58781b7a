"""Special functions: gamma, erf, Bessel and their relatives."""
