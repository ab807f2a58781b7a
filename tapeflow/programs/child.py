"""Importing this makes the process one in which `import tensorflow` gives tapeflow: what a process does first that a
program has started."""

from . import children, stand_in

stand_in.install()
children.prepare()
