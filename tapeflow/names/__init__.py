"""The public names: which there are, and what is said of one that is not there."""
