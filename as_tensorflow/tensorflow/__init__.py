"""tapeflow in the place of TensorFlow: this module is replaced by the stand-in when it is imported."""

import sys

del sys.modules["tensorflow"]  # an empty one, so far; the stand-in refuses to replace any other

from tapeflow.programs import child, stand_in  # noqa: E402, F401

sys.modules["tensorflow"] = stand_in.root()
