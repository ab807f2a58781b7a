"""`np.linalg` on tensors. `linalg.pyi` shows its functions to type checkers."""

from tapeflow.api.interop.numpy_functions import registry as _registry

__all__ = sorted(_registry.members("linalg"))
globals().update(_registry.members("linalg"))
