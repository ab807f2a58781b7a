"""The library: which of its versions is loaded, for this processor, and how many threads it may use."""

import ctypes
import os
import sys

from tapeflow.core.runtime.processors import processors

from . import FOLDER
from .building import digest, file_name

_BLAS = (
    "scipy_cblas_sgemm64_", "scipy_cblas_dgemm64_", "scipy_cblas_sgemv64_", "scipy_cblas_dgemv64_",
    "scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_",
)  # fmt: skip
_LEVELS = {1: "any processor", 3: "AVX2", 4: "AVX-512"}


class Library:
    """The one that is loaded, or why there is none."""

    def __init__(self) -> None:
        self.functions: ctypes.CDLL | None = None
        self.state, self.threads, self.multiplies = "", 1, False
        if os.environ.get("TAPEFLOW_NATIVE") == "0":
            self.state = "off: TAPEFLOW_NATIVE is 0"
            return
        first = self._opened(1)
        if first is None:
            return
        best = first.tapeflow_level()
        for level in sorted(_LEVELS, reverse=True):
            found = first if level == 1 else self._opened(level) if level <= best else None
            if found is not None:
                self.functions, self.threads = found, processors()
                found.tapeflow_threads(self.threads)
                self.multiplies = lend_blas(found)
                self.state = f"on: for {_LEVELS[level]}, {self.threads} thread{'s' * (self.threads > 1)}"
                return

    @property
    def instructions(self) -> list[str]:
        """The primitives that it can compute as parts of expressions."""
        if self.functions is None:
            return []
        self.functions.tapeflow_instructions.restype = ctypes.c_char_p
        return self.functions.tapeflow_instructions().decode().split()

    def _opened(self, level: int) -> ctypes.CDLL | None:
        path = FOLDER / file_name(level)
        if not path.exists():
            if level == 1:
                self.state = "not there: the package was installed without a C compiler"
            return None
        try:
            found = ctypes.CDLL(str(path))
            found.tapeflow_source.restype = ctypes.c_char_p
            if found.tapeflow_source().decode() != digest():
                self.state = "out of date: install the package again"
                return None
        except (OSError, AttributeError) as error:
            self.state = f"not usable: {error}"
            return None
        return found


def lend_blas(library: ctypes.CDLL) -> bool:
    """Tells the library where the BLAS of NumPy's wheels is; False where NumPy has another one."""
    if sys.platform == "win32":
        return False
    try:
        loaded = ctypes.CDLL(sys.modules["numpy._core._multiarray_umath"].__file__)  # looks in what it depends on, too
        functions = [getattr(loaded, name) for name in _BLAS]
    except (OSError, AttributeError, KeyError):
        return False
    library.tapeflow_blas(*functions)
    return True


library = Library()
