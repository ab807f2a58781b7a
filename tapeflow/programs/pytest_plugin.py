"""A plugin of pytest: `pytest -p tapeflow.programs.pytest_plugin` runs tests with tapeflow in the place of TensorFlow,
in the processes of pytest-xdist as well."""

from . import child  # noqa: F401 - importing it is all
