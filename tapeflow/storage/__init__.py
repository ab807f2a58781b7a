"""Files of values: whole or not there, arrays in the safetensors format, checkpoints."""
