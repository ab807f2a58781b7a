"""Where a value is: told to XLA, which spreads values over the devices of a mesh."""

from tapeflow.core.primitive import LINEAR, primitive
from tapeflow.ops.families import same_shape

# The same value, divided along `axes[k]` of the mesh on its k-th axis, or not at all (None). NumPy has one device.
laid_out = primitive(
    "laid_out(x, *, mesh, axes)",
    kernel={"numpy": lambda x, mesh, axes: x, "jax": "meshes.constrained"},
    shape=same_shape,
    vjp=lambda ops, g, mesh, axes: ops.laid_out(g, mesh=mesh, axes=axes),
    jvp=LINEAR,
    batch=lambda op, args, batched, params: op(*args, mesh=params["mesh"], axes=(None, *params["axes"])),
)
