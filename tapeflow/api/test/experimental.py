"""`tf.test.experimental`: waiting for devices."""

__all__ = ["sync_devices"]


def sync_devices() -> None:
    """Waits for all devices; operations are computed when they are called.

    >>> tf.test.experimental.sync_devices()
    """
