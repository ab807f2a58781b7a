"""Frozen graphs: messages that hold a graph of TensorFlow 1, and functions made of their nodes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapeflow.compat.v1.sessions import get_default_graph
from tapeflow.function.tracing.graph import Graph
from tapeflow.function.tracing.polymorphic import Function

__all__ = ["WrappedFunction", "import_graph_def", "wrap_function"]


def import_graph_def(
    graph_def: Any,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a frozen graph to the graph that is being written. They run when a function is made of them:
    by `prune` of what `tf.compat.v1.wrap_function` gives, or here, with values for their placeholders.

    Args:
        graph_def: A message `tf.compat.v1.GraphDef`.
        input_map: Values instead of tensors of the graph, by their names. What `return_elements` names is computed
            from them at once.
        return_elements: Names of tensors such as "y:0", or of operations.
        name: What the names of the nodes begin with; None: "import".
        producer_op_list: Taken and not used.

    Returns:
        What `return_elements` names: tensors if `input_map` has values for them, else names to make a function of.

    Raises:
        TypeError: If `graph_def` is no such message.
        ValueError: If the graph has no node of a name, or is damaged.

    >>> graph_def = tf.function(lambda x: tf.sin(x)).get_concrete_function(tf.TensorSpec([2])).graph.as_graph_def()
    >>> [y] = tf.graph_util.import_graph_def(graph_def, {"x:0": tf.zeros([2])}, ["Sin:0"])
    >>> y.numpy()
    array([0., 0.], dtype=float32)
    """
    from tapeflow.io.model_messages import GraphDef
    from tapeflow.saved_model.tensorflow.importing import Imported, imported

    if type(graph_def).__name__ == "GraphDef" and not isinstance(graph_def, GraphDef):
        graph_def = GraphDef.FromString(graph_def.SerializeToString())  # of another library
    if not isinstance(graph_def, GraphDef):
        raise TypeError(f"graph_def must be a GraphDef proto. Received {type(graph_def).__name__}.")
    if input_map and return_elements is not None:  # computed here, and not looked up later
        return imported(Imported(), graph_def, input_map, return_elements, name)
    named = get_default_graph().operations
    if named.imported is None:
        named.imported = Imported()
    return imported(named.imported, graph_def, input_map, return_elements, name)


class WrappedFunction:
    """What `wrap_function` gives: the function itself, and others between tensors of what it imported."""

    def __init__(self, function: Callable, signature: Any, name: str | None) -> None:
        self._function: Any = Function(function, autograph=False)
        self._concrete = self._function.get_concrete_function(*signature)
        self.name = name or self._concrete.name

    @property
    def graph(self) -> Graph:
        """What it imported, and does, by name."""
        return self._concrete.graph

    @property
    def variables(self) -> tuple:
        """The variables that it reads or assigns."""
        return tuple(self._concrete.variables)

    @property
    def trainable_variables(self) -> tuple:
        """Those that a tape watches by itself."""
        return tuple(self._concrete.trainable_variables)

    @property
    def inputs(self) -> list:
        """The tensors that it takes."""
        return list(self._concrete.inputs)

    @property
    def outputs(self) -> list:
        """The tensors that it gives."""
        return list(self._concrete.outputs)

    @property
    def structured_outputs(self) -> Any:
        """What it gives, as it gives it."""
        return self._concrete.structured_outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._concrete(*args, **kwargs)

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> Any:
        """A function from some tensors of the graph that was imported to others.

        Args:
            feeds: Tensors or names such as "x:0", in any structure. The function takes their values in this order, or
                by the names of their operations.
            fetches: What it gives, in its structure; operations run, and give None.
            input_signature: The specifications of what is fed, where the graph does not have them.

        Returns:
            A function.

        Raises:
            ValueError: If something that is needed is not fed.
        """
        from tapeflow.saved_model.tensorflow.importing import Wrapped

        found = self.graph.operations.imported
        if found is None:
            raise ValueError(f"{self.name} imported no graph: prune makes functions of imported nodes alone.")
        return Wrapped(found).prune(feeds, fetches, name, input_signature)

    def __repr__(self) -> str:
        return f"<tf.WrappedFunction {self.name}>"


def wrap_function(fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None) -> WrappedFunction:
    """A function of TensorFlow 1 as one of version 2: it runs once, for `signature`, and what it writes down is called
    again and again. Around `import_graph_def` it makes a function of a frozen graph.

    Args:
        fn: The function.
        signature: The specifications of its arguments.

    Returns:
        A function with the method `prune`.

    >>> graph_def = tf.function(lambda x: tf.sin(x)).get_concrete_function(tf.TensorSpec([None])).graph.as_graph_def()
    >>> def load():
    ...     tf.compat.v1.import_graph_def(graph_def, name="")
    >>> wrapped = tf.compat.v1.wrap_function(load, [])
    >>> element = wrapped.graph.as_graph_element
    >>> sin = wrapped.prune([element("x:0")], element("Sin:0"))
    >>> sin(tf.constant([0., 1.])).numpy().round(2)
    array([0.  , 0.84], dtype=float32)
    """
    return WrappedFunction(fn, signature, name)
