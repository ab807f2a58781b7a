"""`tf.function`: tracing Python functions to graphs, optimising the graphs, running them on NumPy or XLA."""
