"""Control flow of `tf`: `cond`, `while_loop`, `map_fn`, `TensorArray`, `function`, `py_function`, `Graph`."""
