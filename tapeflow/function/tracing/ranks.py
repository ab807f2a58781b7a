"""Functions for tensors of any rank (`tf.TensorSpec(None)`): a trace for each rank that they meet."""

from typing import TYPE_CHECKING, Any

from tapeflow.core.primitive import Spec
from tapeflow.core.tensor import EagerTensor, Tensor

from .concrete import ConcreteFunction

if TYPE_CHECKING:
    from .polymorphic import Function

_TRIED = 1, 2, 0, 3, 4  # ranks that are traced without a call, for who looks at the graph, and for files


class RankedFunction(ConcreteFunction):
    """A concrete function some of whose arguments have any rank.

    >>> double = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec(None))
    >>> double(tf.ones([2])).numpy(), double(tf.ones([1, 1])).numpy()
    (array([2., 2.], dtype=float32), array([[2.]], dtype=float32))
    """

    def __init__(self, owner: "Function", structure: Any, positions: list[int], specs: list[Spec]) -> None:
        """Of `specs` those with None for a shape have any rank."""
        options = owner.python_function, owner.traced, structure, positions, specs, owner.name
        super().__init__(*options, owner.jit_compile, owner.autograph)
        self.owner, self.by_rank = owner, dict[tuple[int, ...], ConcreteFunction]()
        self.refused: Exception | None = None
        example = next(iter(self.without_calls(1)), None)
        if example is None and self.refused is not None:
            raise self.refused
        if example is not None:  # whoever looks at the graph sees this one
            mine = ("owner", "by_rank", "refused", "specs", "structure")
            self.__dict__.update({k: v for k, v in vars(example).items() if k not in mine})

    def without_calls(self, most: int = len(_TRIED)) -> list[ConcreteFunction]:
        """Traces for the ranks that there were, and for others for which the function can be traced."""
        count = sum(spec.shape is None for spec in self.specs)
        for rank in _TRIED:
            if len(self.by_rank) >= most:
                break
            try:
                self._of((rank,) * count, None)
            except Exception as error:  # a rank that the function does not take
                self.refused = self.refused or error
        return list(self.by_rank.values())

    def run(self, tensors: list[Tensor]) -> Any:
        ranks = tuple([len(t.sizes) for t, spec in zip(tensors, self.specs) if spec.shape is None])
        return self._of(ranks, tensors).run(tensors)

    def _of(self, ranks: tuple[int, ...], tensors: list[Tensor] | None) -> ConcreteFunction:
        if ranks not in self.by_rank:
            rest = iter(ranks)
            shape = lambda spec: (None,) * next(rest) if spec.shape is None else spec.shape
            specs = [Spec(shape=shape(s), dtype=s.dtype, name=getattr(s, "name", None)) for s in self.specs]
            known = tensors is not None and all(isinstance(t, EagerTensor) for t in tensors)
            self.by_rank[ranks] = self.owner.traced_for(
                self.structure, self.tensor_positions, specs, tensors if known else None
            )
        return self.by_rank[ranks]
