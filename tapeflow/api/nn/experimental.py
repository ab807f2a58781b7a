"""`tf.nn.experimental`: dropout with one's own random numbers."""

from .dropout import (
    general_dropout as general_dropout,
    stateless_dropout as stateless_dropout,
)

__all__ = ["general_dropout", "stateless_dropout"]
