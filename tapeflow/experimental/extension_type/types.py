"""`tf.experimental.ExtensionType`: the user's own types, which functions, loops, datasets and tapes take as they take
tensors."""

from abc import ABCMeta
from typing import Any

from tapeflow.core.composite import CompositeTensor, TypeSpec, restores, spec_of
from tapeflow.core.contracts import Operation
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor
from tapeflow.experimental import dispatch

from .annotations import ImmutableDict, converted, mapped
from .fields import Fields, declared, of_fields, with_constructor
from .specs import ExtensionTypeSpec, _leaves


class ExtensionType(Fields, CompositeTensor, metaclass=ABCMeta):
    """The base class of types of your own, made of tensors and other fields.

    Fields are declared by annotations, as in a dataclass; what is annotated as `tf.Tensor` is converted to one. Values
    do not change. They go into and out of `tf.function` (traced once for each spec), conditions, loops, datasets,
    `tf.nest` and tapes, and `tf.experimental.dispatch_for_api` says what functions of `tf` do with them.

    A field may be a tensor, another extension type, a ragged or sparse tensor, an `int`, `float`, `bool`, `str` or
    `bytes`, a `tf.TensorShape` or `tf.DType`, or a `Tuple`, `Mapping`, `Union` or `Optional` of these. `__validate__`
    may check the fields; a class may have a constructor of its own, which sets all of them, and a nested class `Spec`
    that adds to `tf.experimental.ExtensionTypeSpec`. A class attribute `__name__ = "package.Type"` is the name by
    which saved models find it.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...
    ...     def total(self):
    ...         return tf.reduce_sum(tf.where(self.mask, self.values, 0.))
    >>> m = Masked([1., 2., 3.], mask=[True, False, True])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(m.values)
    ...     y = tf.function(lambda m: m.total())(m)
    >>> float(y), tape.gradient(y, m.values).numpy().tolist()
    (4.0, [1.0, 0.0, 1.0])
    """

    Spec: Any = ExtensionTypeSpec
    _tf_extension_type_do_not_transform_this_class = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if _is_a_base(cls):
            return
        cls._fields = declared(cls, ExtensionType)
        with_constructor(cls, _defaults(cls), cls)
        cls.Spec = _spec_of_class(cls)
        if name := vars(cls).get("__name__"):
            restores(name, lambda fields, _: of_fields(cls, {k: _frozen(v) for k, v in fields.items()}))

    @property
    def _type_spec(self) -> Any:  # type: ignore[override]
        spec = self.__dict__.get(_SPEC)
        if spec is None:
            spec = self.__dict__[_SPEC] = self.Spec.from_value(self)
        return spec

    # ---- comparing

    def __eq__(self, other: Any) -> Any:
        """A bool, or a scalar tensor of one: the same type, and all fields equal."""
        if type(self) is not type(other) or self._type_spec != spec_of(other):
            return False
        ours, theirs = [_tensors(value) for value in (self, other)]
        same: Any = True
        for a, b in zip(ours, theirs):
            here = ops.reduce_all(ops.equal(a, b), axis=tuple(range(len(a.sizes))), keepdims=False)
            same = here if same is True else ops.logical_and(same, here)
        return same

    def __ne__(self, other: Any) -> Any:
        same = self == other
        return ops.logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]

    # ---- for tapes, files and primitives

    def __gradient_parts__(self) -> list:
        own = getattr(self, "__composite_gradient__", None)
        parts = [*_leaves(self)] if own is None else _flat(own.get_gradient_components(self))
        return [p for p in parts if isinstance(p, CompositeTensor) or isinstance(p, Tensor) and p.dtype.is_inexact]

    def __with_gradients__(self, found: list) -> Any:
        if all(g is None for g in found):
            return None
        own = getattr(self, "__composite_gradient__", None)
        if own is not None:
            return own.replace_gradient_components(self, found if len(found) > 1 else found[0])
        rest, parts = iter(found), {id(p) for p in self.__gradient_parts__()}
        put = lambda leaf: next(rest) if id(leaf) in parts else leaf
        return of_fields(type(self), {name: mapped(put, self.__dict__[name]) for name in self._fields})

    def __parts_of_gradient__(self, gradient: Any) -> list:
        own = getattr(self, "__composite_gradient__", None)
        if own is not None:
            return _flat(own.get_gradient_components(gradient))
        parts = {id(p) for p in self.__gradient_parts__()}
        return [g for leaf, g in zip(_leaves(self), _leaves(gradient)) if id(leaf) in parts]

    def __stored__(self) -> tuple[str | None, Any]:
        return vars(type(self)).get("__name__"), {name: _thawed(self.__dict__[name]) for name in self._fields}

    @classmethod
    def _apply(cls, prim: Operation, args: tuple, params: dict) -> Any:
        answer = dispatch.of_primitive(prim, args, params)
        return super()._apply(prim, args, params) if answer is NotImplemented else answer

    def __getstate__(self) -> dict:
        return {name: self.__dict__[name] for name in self._fields}


_SPEC = "_tf_extension_type_cached_type_spec"


def _tensors(value: Any) -> list:
    """All of them, those of fields that are made of tensors too."""
    found: list = []
    for leaf in spec_of(value)._to_components(value):
        found += _tensors(leaf) if isinstance(leaf, CompositeTensor) else [leaf]
    return found


def _flat(components: Any) -> list:
    return [p for part in components for p in _flat(part)] if isinstance(components, (list, tuple)) else [components]


def _is_a_base(cls: type) -> bool:
    """One that types are derived from, and has no values itself."""
    return bool(vars(cls).get("_tf_extension_type_do_not_transform_this_class"))


def _defaults(cls: Any) -> dict[str, Any]:
    found = {}
    for name, kind in cls._fields.items():
        if hasattr(cls, name):
            default = getattr(cls, name)
            converted(default, kind, f"default value for {name}")
            found[name] = default
    return found


def _spec_of_class(cls: Any) -> type:
    base = next(vars(parent)["Spec"] for parent in cls.__mro__ if _is_a_base(parent))
    own = vars(cls).get("Spec")
    if own is not None and (not isinstance(own, type) or own.__bases__ not in ((object,), (TypeSpec,))):
        raise ValueError(
            f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec. Write `class Spec:` inside the "
            "class; what tf.experimental.ExtensionTypeSpec has is added."
        )
    members = {} if own is None else {k: v for k, v in vars(own).items() if k not in ("__dict__", "__weakref__")}
    members |= {
        "__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Spec", "value_type": cls,
        "_fields": cls._fields,
    }  # fmt: skip
    made: Any = type(f"{cls.__name__}.Spec", (base,), members)
    with_constructor(made, {}, made)
    return made


def _thawed(value: Any) -> Any:
    if isinstance(value, ImmutableDict):
        return {key: _thawed(part) for key, part in value.items()}
    return tuple(map(_thawed, value)) if type(value) is tuple else value


def _frozen(value: Any) -> Any:
    if type(value) is dict:
        return ImmutableDict({key: _frozen(part) for key, part in value.items()})
    return tuple(map(_frozen, value)) if type(value) is tuple and not isinstance(value, TensorShape) else value
