"""`tf.CriticalSection`: one function at a time."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api import nest
from tapeflow.core.convert import to_tensor

__all__ = ["CriticalSection"]


class CriticalSection:
    """Runs functions one at a time, also those of several threads.

    Args:
        critical_section_def: Taken and not used.

    >>> total, section = tf.Variable(0.), tf.CriticalSection()
    >>> section.execute(lambda: total.assign_add(2.)).numpy()
    np.float32(2.0)
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self.name = name or "CriticalSection"
        self._lock, self._owner = threading.Lock(), None

    def execute(self, fn: Callable[..., Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """What `fn()` gives, with nothing else of this section running meanwhile.

        Args:
            fn: A function without arguments.
            exclusive_resource_access: Taken and not used.

        Returns:
            What `fn` returns.
        """
        here: Any = threading.get_ident()
        if self._owner == here:
            raise ValueError(
                f"Attempting to lock the CriticalSection {self.name!r}, in which we are already running. It would "
                "wait for ever."
            )
        with self._lock:
            self._owner = here
            try:
                numbers = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)
                return nest.map_structure(lambda leaf: to_tensor(leaf) if isinstance(leaf, numbers) else leaf, fn())
            finally:
                self._owner = None
