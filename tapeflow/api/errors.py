"""`tf.errors`: the exceptions and their codes."""

from tapeflow.core.errors import (
    AbortedError as AbortedError,
    AlreadyExistsError as AlreadyExistsError,
    CancelledError as CancelledError,
    DataLossError as DataLossError,
    DeadlineExceededError as DeadlineExceededError,
    FailedPreconditionError as FailedPreconditionError,
    InternalError as InternalError,
    InvalidArgumentError as InvalidArgumentError,
    NotFoundError as NotFoundError,
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
    OpError as OpError,
    OutOfRangeError as OutOfRangeError,
    PermissionDeniedError as PermissionDeniedError,
    ResourceExhaustedError as ResourceExhaustedError,
    UnauthenticatedError as UnauthenticatedError,
    UnavailableError as UnavailableError,
    UnimplementedError as UnimplementedError,
    UnknownError as UnknownError,
)

__all__ = [
    "ABORTED",
    "ALREADY_EXISTS",
    "CANCELLED",
    "DATA_LOSS",
    "DEADLINE_EXCEEDED",
    "FAILED_PRECONDITION",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "OK",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "UNAUTHENTICATED",
    "UNAVAILABLE",
    "UNIMPLEMENTED",
    "UNKNOWN",
    "AbortedError",
    "AlreadyExistsError",
    "CancelledError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OperatorNotAllowedInGraphError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
]

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
