"""Variable: a mutable cell with a value in it. Reading it inside a tape is what watches it."""

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tapeflow.core.convert import register_conversion, to_tensor
from tapeflow.core.devices import DeviceTensor, LateTensor, Serving, Spread, kind_of, placed, raw, tensor_of
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import invalid, user_line
from tapeflow.core.frames import current, has_an_effect
from tapeflow.core.runtime.contexts import context_variable
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.runtime.scopes import scope
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import brackets
from tapeflow.core.tensor import EagerTensor, Reference, Tensor, next_id, representation
from tapeflow.core.typed import Value
from tapeflow.names import attributes

from .changes import ADD, SUBTRACT
from .described import Described
from .policies import VariableAggregation, VariableSynchronization
from .updates import Updates

# What `tf.variable_creator_scope` puts between the call of tf.Variable and the making of one.
creators: ContextVar[tuple] = context_variable("tapeflow_creators", ())


class _Creation(type):
    if not TYPE_CHECKING:  # to a checker, `tf.Variable(...)` would be what this says it gives

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            chain = creators.get()
            if not chain or cls is not Variable:
                return super().__call__(*args, **kwargs)
            make = super().__call__
            for creator in chain:
                make = partial(creator, make)
            bound = inspect.signature(Variable.__init__).bind(None, *args, **kwargs)
            bound.apply_defaults()  # creators may ask for any of them
            named = bound.arguments
            del named["self"]
            named["synchronization"] = named["synchronization"] or VariableSynchronization.AUTO
            named["aggregation"] = named["aggregation"] or VariableAggregation.NONE
            return make(**named)


_NUMPY = (np.ndarray, np.generic)
_LONGEST_STEP = 600.0  # seconds

# (frame, tensor) of a variable that no operation has read since it was made or changed
_UNREAD: tuple[int, Any] = (0, None)


class Variable(Described, Updates, Spread, Value, metaclass=_Creation):
    """A tensor that can be assigned, and that tapes watch automatically.

    Args:
        initial_value: A value, or a function without arguments that returns one.
        trainable: Whether tapes watch it automatically; None: yes, unless replicas have values of their own.
        validate_shape: Taken and not used.
        caching_device: Taken and not used.
        name: The variable's name; that of an open `tf.name_scope` is put before it.
        variable_def: Taken and not used.
        dtype: What the value is converted to; None: its own.
        constraint: A function that optimizers apply to the value after each update.
        synchronization: A `tf.VariableSynchronization`: when the values of a strategy's replicas become one.
        aggregation: A `tf.VariableAggregation`: how strategies combine what replicas assign.
        shape: The shape of values that may be assigned, with None for sizes that may change; None: that of
            `initial_value`.
        experimental_enable_variable_lifting: Taken and not used.

    Raises:
        ValueError: If `initial_value` is missing or does not fit `shape` and `dtype`.

    >>> import tapeflow as tf
    >>> v = tf.Variable(3.)
    >>> with tf.GradientTape() as tape:
    ...     y = v * v
    >>> tape.gradient(y, v).numpy()
    np.float32(6.0)
    >>> v.assign_sub(1.).numpy()
    np.float32(2.0)
    """

    __array_priority__ = 100
    unread: "type[Variable]"  # the class of what `assign` returns

    def __new__(cls, *_: Any, **__: Any) -> Self:
        return object.__new__(newborn[0] if cls is Variable else cls)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "value" in vars(cls) and "operand" not in vars(cls):  # keeps it elsewhere, and need not call __init__
            cls.operand = lambda self: self.value()  # type: ignore[method-assign]

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified: a value, or a function that returns one."
            )
        if callable(initial_value):
            initial_value = initial_value()
        value = to_tensor(initial_value, None if dtype is None else as_dtype(dtype))
        self._dtype = value.dtype
        self._shape = value.sizes if shape is None else TensorShape(shape)
        if not self._shape.is_compatible_with(value.sizes):
            raise ValueError(
                f"The initial value's shape {value.shape} is not compatible with the given `shape` {self._shape}."
            )
        executor = current().executor
        self._value = raw(placed(value)) if executor is None else executor.initial(value)
        self._kind = kind_of(self._value)  # of the tensors that are read
        outer = scope.get()
        self._name = f"{outer}/{name or 'Variable'}:0" if outer else f"{name or 'Variable'}:0"
        self._synchronization = VariableSynchronization.AUTO if synchronization is None else synchronization
        self._aggregation = VariableAggregation.NONE if aggregation is None else aggregation
        if not isinstance(self._aggregation, VariableAggregation):
            raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
        if not isinstance(self._synchronization, VariableSynchronization):
            raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}")
        on_read = self._synchronization is VariableSynchronization.ON_READ
        self._trainable = not on_read if trainable is None else bool(trainable)
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. Got a {type(constraint)}: {constraint}"
            )
        self.constraint = constraint
        self.serial = next_id()
        self._lock = Lock()  # who changes the value has it; a step reads with it, too
        self._latest = _UNREAD

    # ---- what it is

    @property
    def held(self) -> Any:  # type: ignore[override]
        """The array of the value, NumPy's or the engine's."""
        return self._value

    @property
    def held_shape(self) -> tuple[int, ...]:
        """The shape of the value now, which has a size on every axis."""
        return self._value.shape

    @property
    def is_on_device(self) -> bool:
        return self._kind is DeviceTensor

    def set_shape(self, shape: Any) -> None:
        """States what is known of the shape, for a variable made with an open one; ValueError if it contradicts.

        Args:
            shape: The sizes, None for those that are not known.

        Raises:
            ValueError: If it contradicts what is known.
        """
        shape = TensorShape(shape)
        if not shape.is_compatible_with(self._value.shape):
            raise ValueError(
                f"Variable '{self._name}' has shape {self._value.shape}, which is not compatible with {shape}."
            )
        self._shape = self._shape.merge_with(shape)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """True: a variable here has a value from its first moment."""
        return EagerTensor(np.True_)

    @property
    def initial_value(self) -> Any:
        raise RuntimeError(
            "The initial value of a variable is not kept. Read the variable when it is made: tf.identity(v)."
        )

    def ref(self) -> Reference:
        """A hashable handle, equal only to another handle on this variable."""
        return Reference(self)

    experimental_ref = ref

    # ---- reading

    def value(self) -> Tensor:
        """The current value, as a tensor. Each read is a new tensor, which open tapes record."""
        tensor = self.peek()
        for observer in current().audience:
            observer.read(self, tensor)
        return tensor

    def peek(self) -> Tensor:
        """The value, from whoever executes; nobody is told."""
        executor = current().executor
        if executor is not None:
            return executor.read(self)
        value = self._value
        return EagerTensor(value) if isinstance(value, _NUMPY) else self._from_engine()

    def _tensor_now(self) -> EagerTensor:
        """The value, computed."""
        value = self._value  # read once: another thread may run a step
        return EagerTensor(value) if isinstance(value, _NUMPY) else self._from_engine()

    def _from_engine(self) -> EagerTensor:
        if self._kind is DeviceTensor:
            with self._lock:  # a step that gives the array away, with the lock, sees who else holds it
                return tensor_of(self._value)
        held = self._value
        try:
            return EagerTensor(LateTensor(held).array)
        except (
            RuntimeError
        ):  # another thread's step has given it away, and stores a new one before it lets go of the lock
            if self._lock.acquire(timeout=_LONGEST_STEP):
                self._lock.release()
            if self._value is held:
                raise
            return self._tensor_now()

    def _bring_home(self) -> None:
        """What a program has left is NumPy's from now on. For who has the lock."""
        if self._kind is LateTensor:
            self._value, self._kind = LateTensor(self._value).array, EagerTensor

    def _to_be_replaced(self) -> Tensor:
        """The value for a program that computes another one, which need not be computed yet. For who has the lock."""
        return self.value() if self._kind is not LateTensor or current().audience else LateTensor(self._value)

    def operand(self) -> Tensor:
        """What operations on the variable read: one tensor per frame and value. So the gradients of many uses (a
        weight in an unrolled loop) are added up as the walk meets them, instead of all waiting for its end."""
        frame = current()
        serial, tensor = self._latest
        if serial != frame.serial:
            held = self._value
            tensor = self.value()
            # Not what exists in a graph only, nor when another thread has assigned in between.
            known = isinstance(tensor, EagerTensor) and self._value is held
            if self._kind is EagerTensor:
                self._latest = (frame.serial, tensor) if known else _UNREAD
            elif known:
                with self._lock:  # no step is under way, then
                    if self._value is held:
                        self._latest = frame.serial, tensor
        return tensor

    def forget_operand(self) -> None:
        """The next operation reads again: a tape has begun to watch, and an earlier read does not count for it."""
        self._latest = _UNREAD

    read_value = read_value_no_copy = initialized_value = value

    if TYPE_CHECKING:  # they are operations: `tapeflow.api.variables.creating` gives them to the class

        def sparse_read(self, indices: Any, name: str | None = None) -> Tensor: ...
        def gather_nd(self, indices: Any, name: str | None = None) -> Tensor: ...

    def numpy(self) -> Any:
        """A copy of the value as a NumPy array, or a NumPy scalar.

        Returns:
            An array, a copy of the value.
        """
        return self.value().numpy()

    # ---- writing

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> "Variable":
        """Replaces the value. The shape must be the variable's; Python and NumPy values are converted to its dtype.

        Args:
            value: The new value.

        Returns:
            The variable; None with `read_value=False`.

        Raises:
            ValueError: If the shape is different.
        """
        tensor = to_tensor(value, self._dtype)
        if not self._shape.is_compatible_with(tensor.sizes):
            raise ValueError(
                f"Cannot assign value to variable '{self._name}': Shape mismatch. The variable shape {self._shape}, "
                f"and the assigned value shape {tensor.shape} are incompatible."
            )
        return self.put_value(tensor, read_value)

    def put_value(self, tensor: Tensor, read_value: bool = True) -> Any:
        """Let whoever executes assign."""
        executor = current().executor
        if executor is not None:
            executor.assign(self, tensor)
            self._latest = _UNREAD
            return self._touched((tensor,), read_value)
        with self._lock:
            array = self._there(tensor) if self._kind is DeviceTensor else tensor.array
            return self._store(array, (tensor,), read_value)

    def _there(self, tensor: Tensor) -> Any:
        """The array of a tensor on the variable's device, where it stays."""
        return Serving.engine.like(raw(tensor), self._value)

    def _exchanged(self, change: Any) -> EagerTensor:
        """The value before `change`, a function of NumPy arrays, became the value: in one step for other threads.
        Eagerly."""
        with self._lock:
            before = self._tensor_now()
            after = EagerTensor(change(before.array))
            self._store(self._there(after) if self._kind is DeviceTensor else after.array, (after,), False)
        return before

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> "Variable":
        """Adds `delta`, which must have the variable's shape.

        Args:
            delta: A tensor of the variable's shape.

        Returns:
            The variable; None with `read_value=False`.

        Raises:
            InvalidArgumentError: If the shape is different.
        """
        return self.update_all(self._delta("assign_add", delta), ADD, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> "Variable":
        """Subtracts `delta`, which must have the variable's shape.

        Args:
            delta: A tensor of the variable's shape.

        Returns:
            The variable; None with `read_value=False`.

        Raises:
            InvalidArgumentError: If the shape is different.
        """
        return self.update_all(self._delta("assign_sub", delta), SUBTRACT, read_value)

    def _given(self, value: Any) -> Tensor:
        """A value to change a part of the variable with: one, not one for each row."""
        tensor = to_tensor(value, self._dtype)
        if not isinstance(tensor, EagerTensor):
            has_an_effect("changing a part of a variable")
            raise ValueError(
                f"Variable '{self._name}' has one value, but inside a vectorised function it was given one for each "
                f"row, at {user_line()}. Return the tensor, and assign the sum or the mean over the rows outside."
            )
        return tensor

    def _delta(self, what: str, delta: Any) -> Tensor:
        tensor = to_tensor(delta, self._dtype)
        if tuple(tensor.sizes) != self._value.shape:
            raise invalid(
                f"Cannot update variable with shape {brackets(self._value.shape)} using a Tensor with shape "
                f"{brackets(tensor.shape)}, shapes must be equal: {what} on '{self._name}'. Use "
                "tf.broadcast_to(value, v.shape) if broadcasting is meant."
            )
        if self._dtype.kind not in "fciu":
            raise invalid(f"{what} is not defined for the {self._dtype.name} variable '{self._name}'; use assign.")
        return tensor

    def _store(self, array: Any, given: tuple = (), read_value: bool = True) -> Any:
        """Where one value changes (`commits.replacing`: many). An assignment is an access too: tapes are told."""
        self._value, self._kind, self._latest = (
            array,
            kind_of(array),
            _UNREAD,
        )  # no exception from outside comes in between
        return self._touched(given, read_value)

    def _touched(self, given: tuple, read_value: bool) -> Any:
        for observer in current().audience:
            observer.read(self, None)
            for tensor in given:
                what = "assigning to" if self._trainable else "updating the non-trainable"
                observer.left(tensor, f"{what} variable '{self._name}'")
        return _alias(self) if read_value else None

    # ---- as a Python object

    def __bool__(self) -> bool:
        return bool(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __index__(self) -> int:
        return self.value().__index__()

    def __len__(self) -> int:
        return len(self._tensor_now())

    def __format__(self, spec: str) -> str:
        return format(self._tensor_now(), spec) if spec else str(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.value().__array__(dtype, copy)

    def __hash__(self) -> int:
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __copy__(self) -> "Variable":
        return self

    def __deepcopy__(self, memo: dict) -> "Variable":
        made = _of(self._tensor_now(), self._trainable, self._name, self._shape)
        made.constraint, made._synchronization, made._aggregation = (
            self.constraint,
            self._synchronization,
            self._aggregation,
        )
        memo[id(self)] = made
        return made

    def __reduce__(self):
        return _unpickle, (self._tensor_now().array, self._trainable, self._name, self._shape)

    def __repr__(self) -> str:
        name = self._name if type(self) is not _UnreadVariable else "UnreadVariable"
        return (
            f"<tf.Variable '{name}' shape={self._shape} dtype={self._dtype.name}, "
            f"numpy={representation(self._tensor_now().array)}>"
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError("'Variable' object does not support item assignment. Use v[i].assign(value).")

    def __dir__(self) -> list[str]:
        return attributes.present(self)


attributes.say_instead(Variable, attributes.FOR_VARIABLES)


class ResourceVariable(Variable):
    """The concrete class behind `tf.Variable`."""


# What a new variable is at first: checkpoints that wait for variables put another class here.
newborn: list[type[Variable]] = [ResourceVariable]


def become(variable: Variable, kind: type[Variable]) -> None:
    """A variable that was just made is of another class: at once, or where it waits for a value, then."""
    if type(variable) is ResourceVariable:
        variable.__class__ = kind
    else:
        variable.__dict__["_grown"] = kind


def sibling(variable: Variable, name: str, array: Any) -> Variable:
    """An ordinary variable that is like another, with a name and a value of its own."""
    made = object.__new__(ResourceVariable)
    made.__dict__.update(variable.__dict__)
    made._value, made._kind, made._name = array, kind_of(array), name
    made._lock, made.serial, made._latest = Lock(), next_id(), _UNREAD
    return made


class _UnreadVariable(ResourceVariable):
    """What `assign` returns: the same cell under another object, which reads the latest value."""


Variable.unread = _UnreadVariable


def _alias(variable: Variable) -> Variable:
    alias = object.__new__(variable.unread)
    alias.__dict__ = variable.__dict__
    return alias


def _unpickle(array: Any, trainable: bool, name: str, shape: Any) -> Variable:
    return _of(EagerTensor(array), trainable, name, shape)


def _of(value: Tensor, trainable: bool, name: str, shape: Any) -> Variable:
    made = Variable(value, trainable=trainable, shape=shape)
    made._name = name  # in full, whatever scope is open now
    return made


register_conversion(Variable, lambda variable, dtype: to_tensor(variable.operand(), dtype))


# ---- other libraries' variables


def unwrapped(value: Any) -> Any:
    """The variable in another library's variable (Keras'), which says by `__tf_variable__` what it holds; everything
    else as it is."""
    return value.__tf_variable__() if hasattr(value, "__tf_variable__") else value


def label(variable: Variable) -> str:
    """What reports call a variable: its path in a model, or its name. Empty for one without a name."""
    found = getattr(variable, "_label", None) or variable.name.removesuffix(":0")
    return "" if found == "Variable" else found
