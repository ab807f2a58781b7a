"""`tf.experimental`."""

import sys

from . import dlpack
from . import experimental_numpy as numpy

__all__ = ["dlpack", "numpy"]

# So that `import tapeflow.experimental.numpy as tnp` works, as people write it.
sys.modules["tapeflow.experimental"] = sys.modules[__name__]
sys.modules["tapeflow.experimental.numpy"] = numpy
sys.modules["tapeflow.experimental.dlpack"] = dlpack
