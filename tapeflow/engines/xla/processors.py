"""How many CPUs XLA has: as many as the program has divided its CPU into. That can be said until the first of them is
asked for."""

import jax

from tapeflow.core.devices import Processors


def divide(count: int) -> None:
    """Have `count` CPUs; RuntimeError if there are fewer, and it is too late."""
    try:
        jax.config.update("jax_num_cpu_devices", count)
    except RuntimeError:
        have = len(jax.local_devices(backend="cpu"))
        if have < count:
            raise RuntimeError(
                f"Virtual devices cannot be modified after being initialized: XLA has begun with {have} CPU, and the "
                f"program asks for {count}. Call tf.config.set_logical_device_configuration before anything is "
                "compiled, or put on a device."
            ) from None


if Processors.count > 1:
    divide(Processors.count)
