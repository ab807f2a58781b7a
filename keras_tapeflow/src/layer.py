"""What a Keras layer is on this backend besides a Keras layer: nothing."""


class BackendLayer:
    """Keras' hooks for backends, none of which is needed."""
