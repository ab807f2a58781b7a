"""Control flow that runs eagerly: map_fn, cond, while_loop, TensorArray."""
