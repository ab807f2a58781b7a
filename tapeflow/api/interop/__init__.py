"""Other libraries' ways to call tapeflow: NumPy's functions, the Python array API standard, DLPack."""
