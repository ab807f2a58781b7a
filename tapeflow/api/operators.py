"""The operators and methods of tensors and variables."""

from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.variable import Variable

_BINARY = {"add": "add", "sub": "sub", "mul": "mul", "matmul": "matmul", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def _install() -> None:
    for python_name, name in _BINARY.items():
        function = getattr(ops, name)
        setattr(Tensor, f"__{python_name}__", function)
        setattr(Variable, f"__{python_name}__", lambda self, other, f=function: f(self.value(), other))
        if python_name in ("add", "sub", "mul", "matmul"):
            reflected = lambda self, other, f=function: f(other, self)
            setattr(Tensor, f"__r{python_name}__", reflected)
            setattr(Variable, f"__r{python_name}__", reflected)
    Tensor.__neg__ = ops.neg
    Variable.__neg__ = lambda self: ops.neg(self.value())


_install()
