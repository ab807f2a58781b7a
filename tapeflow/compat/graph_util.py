"""`tf.graph_util`: graphs of TensorFlow 1 that are imported."""

from tapeflow.compat.v1.graphs import import_graph_def as import_graph_def

__all__ = ["import_graph_def"]
