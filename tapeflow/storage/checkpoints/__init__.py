"""`tf.train.Checkpoint` and what belongs to it; the file format is described in docs/checkpoints.md. Public names are
in `train/`."""
