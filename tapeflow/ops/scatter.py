"""Writing into parts of a tensor."""
