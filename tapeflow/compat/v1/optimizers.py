"""Optimizers of version 1, which are Keras' with their own names of arguments: `minimize` takes a function without
arguments."""

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.tape.gradient_tape import GradientTape

from .fallback import found

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "FtrlOptimizer", "GradientDescentOptimizer",
    "MomentumOptimizer", "Optimizer", "RMSPropOptimizer",
]  # fmt: skip


class Optimizer:
    """What they have in common. `learning_rate` is a number, a tensor, or a function that gives one.

    >>> tf.compat.v1.train.GradientDescentOptimizer(0.1).get_name()
    'GradientDescent'
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name, self._keras = name, None
        self._learning_rate: Any = 0.0

    def get_name(self) -> str:
        """As it was given."""
        return self._name

    def compute_gradients(
        self, loss: Callable[..., Any], var_list: Sequence[Any] | None = None, gate_gradients: int = GATE_OP,
        aggregation_method: Any = None, colocate_gradients_with_ops: bool = False, grad_loss: Any = None,
    ) -> list[tuple[Any, ...]]:  # fmt: skip
        """Pairs of gradients and variables: those in `var_list`, or all that the loss reads and that are trainable.

        Returns:
            Pairs of a gradient and its variable.

        Raises:
            RuntimeError: If `loss` is no function.
        """
        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        with GradientTape() as tape:
            value = loss()
        variables = list(tape.watched_variables()) if var_list is None else list(var_list)
        return list(zip(tape.gradient(value, variables, grad_loss), variables))

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> None:
        """Changes the variables, and counts in `global_step`.

        Raises:
            ValueError: If there are no gradients.
        """
        pairs = [(g, v) for g, v in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        there = [(g, v) for g, v in pairs if g is not None]
        if not there:
            raise ValueError(f"No gradients provided for any variable: {[v.name for _, v in pairs]}.")
        if self._keras is None:
            self._keras = self._made()
            self._start([v for _, v in pairs])
        rate = self._learning_rate
        self._keras.learning_rate = rate() if callable(rate) else rate
        self._keras.apply_gradients(there)
        if global_step is not None:
            global_step.assign_add(1)

    def minimize(
        self, loss: Callable[..., Any], global_step: Any = None, var_list: Sequence[Any] | None = None,
        gate_gradients: int = GATE_OP, aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
        name: str | None = None, grad_loss: Any = None,
    ) -> None:  # fmt: skip
        """One step: the gradients of `loss()`, applied."""
        self.apply_gradients(self.compute_gradients(loss, var_list, grad_loss=grad_loss), global_step)

    def variables(self) -> list[Any]:
        """What it remembers from step to step.

        Returns:
            Variables.
        """
        return [] if self._keras is None else list(self._keras.variables)

    def _made(self) -> Any:
        raise NotImplementedError  # each kind of optimizer says which of Keras' it is

    def _start(self, variables: list) -> None:
        self._keras.build(variables)


def _keras(name: str, **options: Any) -> Any:
    return getattr(found("keras.optimizers"), name)(learning_rate=0.0, **options)


class GradientDescentOptimizer(Optimizer):
    """variable - learning_rate · gradient.

    >>> v = tf.Variable(2.)
    >>> tf.compat.v1.train.GradientDescentOptimizer(0.5).minimize(lambda: v * v, var_list=[v])
    >>> v.numpy()
    np.float32(0.0)
    """

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _made(self) -> Any:
        return _keras("SGD")


class MomentumOptimizer(Optimizer):
    """Gradients of earlier steps go on, less and less.

    >>> tf.compat.v1.train.MomentumOptimizer(0.1, momentum=0.9).get_name()
    'Momentum'
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._options = learning_rate, {"momentum": momentum, "nesterov": use_nesterov}

    def _made(self) -> Any:
        return _keras("SGD", **self._options)


class AdamOptimizer(Optimizer):
    """Adam, with version 1's epsilon.

    >>> tf.compat.v1.train.AdamOptimizer(1e-3).get_name()
    'Adam'
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
        use_locking: bool = False, name: str = "Adam", use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate, self._options = learning_rate, {"beta_1": beta1, "beta_2": beta2, "epsilon": epsilon}

    def _made(self) -> Any:
        return _keras("Adam", **self._options)


class AdagradOptimizer(Optimizer):
    """Steps that become smaller with the squares of all gradients.

    >>> tf.compat.v1.train.AdagradOptimizer(0.1).get_name()
    'Adagrad'
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._learning_rate, self._start_value = learning_rate, initial_accumulator_value

    def _made(self) -> Any:
        return _keras("Adagrad", initial_accumulator_value=self._start_value, epsilon=0.0)


class AdadeltaOptimizer(Optimizer):
    """Adadelta, with version 1's rate and epsilon.

    >>> tf.compat.v1.train.AdadeltaOptimizer().get_name()
    'Adadelta'
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._options = learning_rate, {"rho": rho, "epsilon": epsilon}

    def _made(self) -> Any:
        return _keras("Adadelta", **self._options)


class RMSPropOptimizer(Optimizer):
    """RMSProp, whose average of squares starts at one.

    >>> tf.compat.v1.train.RMSPropOptimizer(0.1).get_name()
    'RMSProp'
    """

    def __init__(
        self, learning_rate: Any, decay: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-10,
        use_locking: bool = False, centered: bool = False, name: str = "RMSProp",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._options = {"rho": decay, "momentum": momentum, "epsilon": epsilon, "centered": centered}

    def _made(self) -> Any:
        return _keras("RMSprop", **self._options)

    def _start(self, variables: list) -> None:
        super()._start(variables)
        for average in self._keras._velocities:
            average.assign(found("ones_like")(average))


class FtrlOptimizer(Optimizer):
    """FTRL, with version 1's names of arguments.

    >>> tf.compat.v1.train.FtrlOptimizer(0.1).get_name()
    'Ftrl'
    """

    def __init__(
        self, learning_rate: Any, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "Ftrl", accum_name: str | None = None, linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate, self._options = learning_rate, {
            "learning_rate_power": learning_rate_power, "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength, "beta": beta or 0.0,
        }  # fmt: skip

    def _made(self) -> Any:
        return _keras("Ftrl", **self._options)
