"""Importing this makes `import tensorflow` give tapeflow in this process: the first thing in processes that a program
starts."""

from . import children, stand_in

stand_in.install()
children.prepare()
