"""Checks of values, which a compiled program cannot stop for."""


def check_numerics(x, message):
    """Passes everything, as TensorFlow's does when it is compiled by XLA."""
    return x
