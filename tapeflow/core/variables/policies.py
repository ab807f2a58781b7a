"""Distribution policies of variables: how copies on several devices agree. One process with one device keeps the
choice."""

import enum


class VariableSynchronization(enum.Enum):
    """When copies of a variable are brought together.

    >>> tf.Variable(1.).synchronization
    <VariableSynchronization.AUTO: 0>
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the values of several copies become one.

    >>> tf.Variable(1., aggregation=tf.VariableAggregation.MEAN).aggregation
    <VariableAggregation.MEAN: 2>
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
