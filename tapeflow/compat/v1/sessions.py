"""`tf.compat.v1.Session` and its configuration: kept for programs that make one for the sake of its settings."""

from types import SimpleNamespace
from typing import Any

from tapeflow.api import nest as _nest
from tapeflow.api.control.graphs import Graph as _Graph
from tapeflow.core.frames import current as _current
from tapeflow.function.tracing import graph as _tracing

__all__ = ["ConfigProto", "GPUOptions", "InteractiveSession", "OptimizerOptions", "Session", "get_default_graph"]

_nobodys = _Graph()


def get_default_graph() -> _tracing.Graph:
    """The graph that operations are written into; where they run at once, one that nobody writes into.

    >>> tf.compat.v1.get_default_graph().get_operations()
    []
    """
    executor = _current().executor
    return executor if isinstance(executor, _tracing.Graph) else _nobodys


class _Settings:
    """Any field can be set and read."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return "".join(f"{name}: {value!r}\n" for name, value in vars(self).items())


class GPUOptions(_Settings):
    """Settings of GPUs: any field can be set and read, and nothing comes of it.

    >>> tf.compat.v1.GPUOptions(allow_growth=True).allow_growth
    True
    """


class OptimizerOptions(_Settings):
    """Settings of graph optimisation: any field can be set and read, and nothing comes of it.

    >>> tf.compat.v1.OptimizerOptions(opt_level=0).opt_level
    0
    """


class ConfigProto(_Settings):
    """Settings of a session: any field can be set and read, also inside `gpu_options` and `graph_options`.

    >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    >>> config.allow_soft_placement, config.gpu_options.allow_growth
    (True, True)
    """

    def __init__(self, **fields: Any) -> None:
        super().__init__(
            **(
                {"gpu_options": GPUOptions(), "graph_options": SimpleNamespace(optimizer_options=OptimizerOptions())}
                | fields
            )
        )


class Session:
    """Keeps settings, runs imported graphs, and gives the values of tensors that are known.

    Args:
        target: Taken and not used.
        graph: The graph that `run` finds names in: one with imported nodes; None: the default graph.
        config: Kept, and not used.

    >>> with tf.compat.v1.Session() as session:
    ...     session.run({"y": tf.constant(2.) * 3.})
    {'y': np.float32(6.0)}
    """

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        self.config = config
        self.graph = get_default_graph() if graph is None else graph
        self._functions: dict[Any, Any] = {}

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The values of `fetches` as NumPy arrays. Only tensors of an imported graph
        (`tf.compat.v1.import_graph_def`) can be fed: the others have been computed.

        Args:
            fetches: Tensors, or names such as "y:0" in an imported graph, in any structure.
            feed_dict: Values of tensors of the imported graph.

        Returns:
            NumPy arrays, in the structure of `fetches`.

        Raises:
            RuntimeError: If something is fed, and no graph was imported.
        """
        imported = getattr(getattr(self.graph, "operations", None), "imported", None)
        known = any(hasattr(x, "numpy") for x in _nest.flatten(fetches))
        if imported is not None and not known:
            return self._run_imported(imported, fetches, feed_dict or {})
        if feed_dict:
            raise RuntimeError(
                "A session here has no graph to feed values to. Operations run when they are called: write the "
                "computation as a function of what is fed, and call it with the values."
            )
        for fetch in _nest.flatten(fetches):
            if fetch is not None and not hasattr(fetch, "numpy"):  # initialisers and such give None
                raise TypeError(
                    f"Fetch argument {fetch!r} has invalid type {type(fetch).__name__}, must be a tensor or variable. "
                    "Operations run when they are called, and there is nothing to run later: call "
                    "`optimizer.apply_gradients(…)`, `variable.assign(…)` or your function where session.run(…) "
                    "stands."
                )
        return _nest.map_structure(lambda leaf: leaf.numpy() if hasattr(leaf, "numpy") else leaf, fetches)

    def _run_imported(self, graph: Any, fetches: Any, feed_dict: Any) -> Any:
        from tapeflow.saved_model.tensorflow.importing import Wrapped

        feeds = [graph.as_graph_element(key) for key in feed_dict]
        wanted = [graph.as_graph_element(fetch) for fetch in _nest.flatten(fetches)]
        key = tuple(feeds), tuple(wanted)
        if key not in self._functions:
            self._functions[key] = Wrapped(graph).prune(feeds, wanted)
        values = self._functions[key](*feed_dict.values())
        found = [value if value is None else value.numpy() for value in values]
        return _nest.pack_sequence_as(fetches, found)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class InteractiveSession(Session):
    """A session that needs no `with`.

    >>> tf.compat.v1.InteractiveSession(config=tf.compat.v1.ConfigProto()).run(tf.constant(1))
    np.int32(1)
    """
