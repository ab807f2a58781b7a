"""The codes are those of gRPC, and each class has its own."""

import tapeflow as tf

CODES = """OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED
    RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS
    UNAUTHENTICATED""".split()


def test_codes_count_from_0():
    assert [getattr(tf.errors, name) for name in CODES] == list(range(17))


def test_each_code_has_its_class():
    for name in CODES[1:]:
        kind = getattr(tf.errors, name.title().replace("_", "") + "Error")
        error = kind(None, None, "what happened")
        assert error.error_code == getattr(tf.errors, name) and error.message == "what happened"
        assert isinstance(error, tf.errors.OpError)
