"""`tf.compat.v1.gfile`: `tf.io.gfile`, by the names of version 1."""

from ..io.gfile import GFile
from ..io.gfile import copy as Copy
from ..io.gfile import exists as Exists
from ..io.gfile import glob as Glob
from ..io.gfile import isdir as IsDirectory
from ..io.gfile import listdir as ListDirectory
from ..io.gfile import makedirs as MakeDirs
from ..io.gfile import mkdir as MkDir
from ..io.gfile import remove as Remove
from ..io.gfile import rename as Rename
from ..io.gfile import rmtree as DeleteRecursively
from ..io.gfile import stat as Stat
from ..io.gfile import walk as Walk

FastGFile = Open = GFile

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs", "MkDir", "Open",
    "Remove", "Rename", "Stat", "Walk",
]  # fmt: skip
