"""`tf.train.ExponentialMovingAverage`: smoothed copies of variables."""

from collections.abc import Iterable
from typing import Any

from tapeflow.api.arrays.casting import cast
from tapeflow.api.math.arithmetic import minimum
from tapeflow.core.frames import Frame, entered
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

__all__ = ["ExponentialMovingAverage"]


class ExponentialMovingAverage:
    """Keeps averages of variables: `average = decay * average + (1 - decay) * variable`, at each `apply`.

    With `num_updates` the decay is smaller at first: at most `(1 + num_updates) / (10 + num_updates)`.

    Args:
        decay: How much of the average stays, close to 1.
        num_updates: How many updates there were so far.
        zero_debias: Taken and not used: averages start as the values.
        name: What is added to the variables' names.

    >>> v = tf.Variable(1., name="v")
    >>> ema = tf.train.ExponentialMovingAverage(0.75)
    >>> ema.apply([v])
    >>> _ = v.assign(5.)
    >>> ema.apply([v])
    >>> ema.average(v).numpy(), ema.average_name(v)
    (np.float32(2.0), 'v/ExponentialMovingAverage')
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """What is added to the variables' names."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> None:
        """Updates the averages, which start as the variables' values. Without a list, those of all variables seen
        before.

        Args:
            var_list: Variables.

        Raises:
            TypeError: If one is not a variable of floats.
        """
        for variable in [ref.deref() for ref in self._averages] if var_list is None else list(var_list):
            variable = _variable(variable)
            if variable.dtype.name not in ("float16", "float32", "float64", "bfloat16"):
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
            if variable.ref() not in self._averages:
                self._make(variable)
            average = self._averages[variable.ref()]
            average.assign_sub((average.value() - variable.value()) * self._rate(average), read_value=False)

    def _make(self, variable: Variable) -> None:
        with entered(Frame()):  # not inside a function that is traced, nor for a tape
            made = Variable(variable.value(), trainable=False, name="average")
        made._name = f"{self.average_name(variable)}:0"
        self._averages[variable.ref()] = made

    def _rate(self, average: Variable) -> Tensor:
        """One minus the decay."""
        decay = cast(self._decay, average.dtype)
        if self._num_updates is not None:
            updates = cast(self._num_updates, average.dtype)
            decay = minimum(decay, (1.0 + updates) / (10.0 + updates))
        return 1.0 - decay

    def average(self, var: Any) -> Variable | None:
        """The average of a variable; None where there is none.

        Args:
            var: The variable.
        """
        return self._averages.get(_variable(var).ref())

    def average_name(self, var: Any) -> str:
        """The name of the average of a variable, also before there is one.

        Args:
            var: The variable.
        """
        if (made := self.average(var)) is not None:
            return made.name.removesuffix(":0")
        return f"{_variable(var).name.removesuffix(':0')}/{self._name}"

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None) -> dict[str, Variable]:
        """The variables by the names of their averages, to load averages in their places.

        Args:
            moving_avg_variables: The variables; None: those that have averages.
        """
        known = [ref.deref() for ref in self._averages] if moving_avg_variables is None else moving_avg_variables
        return {self.average_name(variable): variable for variable in known}

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        return {average.name.removesuffix(":0"): average for average in self._averages.values()}


def _variable(given: Any) -> Variable:
    found = given.__tf_variable__() if hasattr(type(given), "__tf_variable__") else given
    if not isinstance(found, Variable):
        raise TypeError(
            "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is "
            f"enabled, got {given!r}."
        )
    return found
