"""`tf.compat.v1.gfile`: `tf.io.gfile`, by the names of version 1."""

from tapeflow.io.gfile import GFile
from tapeflow.io.gfile import copy as Copy
from tapeflow.io.gfile import exists as Exists
from tapeflow.io.gfile import glob as Glob
from tapeflow.io.gfile import isdir as IsDirectory
from tapeflow.io.gfile import listdir as ListDirectory
from tapeflow.io.gfile import makedirs as MakeDirs
from tapeflow.io.gfile import mkdir as MkDir
from tapeflow.io.gfile import remove as Remove
from tapeflow.io.gfile import rename as Rename
from tapeflow.io.gfile import rmtree as DeleteRecursively
from tapeflow.io.gfile import stat as Stat
from tapeflow.io.gfile import walk as Walk

FastGFile = Open = GFile

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs",
    "MkDir", "Open", "Remove", "Rename", "Stat", "Walk",
]  # fmt: skip
