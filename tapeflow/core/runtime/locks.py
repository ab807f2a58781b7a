"""A lock that Ctrl-C does not leave taken.

`with lock:` of Python's own locks is safe up to Python 3.13. Python 3.14 looks for signals after each call of a
function of C, that of `__enter__` included, and then nobody gives the lock back. So `__enter__` is a function of
Python here, which does; `__exit__` stays that of C.
"""

import sys
import threading
from _thread import RLock


class _Returned(RLock):
    def __enter__(self) -> bool:
        taken: list[bool] = []
        try:
            taken.extend(map(self.acquire, (True,)))  # taken and known to be: no instruction in between
        except BaseException:
            if taken:
                self.release()
            raise
        return True


Lock = _Returned if sys.version_info >= (3, 14) else threading.RLock
