"""`tf.nn.experimental`: dropout with one's own random numbers."""

from .dropout import general_dropout, stateless_dropout

__all__ = ["general_dropout", "stateless_dropout"]
