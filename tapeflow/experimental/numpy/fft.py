"""`np.fft` on tensors. `fft.pyi` shows its functions to type checkers."""

from tapeflow.api.interop.numpy_functions import registry as _registry

__all__ = sorted(_registry.members("fft"))
globals().update(_registry.members("fft"))
