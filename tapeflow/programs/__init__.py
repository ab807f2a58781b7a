"""Programs written for TensorFlow, run unchanged: the stand-in for `import tensorflow`, `tapeflow run` and `tapeflow
check`."""
