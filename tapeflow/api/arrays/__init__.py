"""The functions of `tf` itself that make, shape, join, index, sort and cast tensors."""
