"""NumPy functions, the array API standard and DLPack on tensors."""
