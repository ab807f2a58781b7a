"""`tf.errors`: the exceptions and their codes."""

from tapeflow.core.errors import (
    AbortedError,
    AlreadyExistsError,
    CancelledError,
    DataLossError,
    DeadlineExceededError,
    FailedPreconditionError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OperatorNotAllowedInGraphError,
    OpError,
    OutOfRangeError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
    UnimplementedError,
    UnknownError,
)

OK = 0
CANCELLED = CancelledError.code
UNKNOWN = UnknownError.code
INVALID_ARGUMENT = InvalidArgumentError.code
DEADLINE_EXCEEDED = DeadlineExceededError.code
NOT_FOUND = NotFoundError.code
ALREADY_EXISTS = AlreadyExistsError.code
PERMISSION_DENIED = PermissionDeniedError.code
RESOURCE_EXHAUSTED = ResourceExhaustedError.code
FAILED_PRECONDITION = FailedPreconditionError.code
ABORTED = AbortedError.code
OUT_OF_RANGE = OutOfRangeError.code
UNIMPLEMENTED = UnimplementedError.code
INTERNAL = InternalError.code
UNAVAILABLE = UnavailableError.code
DATA_LOSS = DataLossError.code
UNAUTHENTICATED = UnauthenticatedError.code
