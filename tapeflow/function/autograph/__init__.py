"""AutoGraph: branches and loops over tensors, in the code of a `tf.function`, become branches and loops of its graph.

The code is taken apart by the package `diastatic-malt` and put together again with calls of
operators in the place of statements: `if` becomes `if_stmt`. An operator does what the Python statement does, unless
it meets a tensor that has no value yet.
"""

from .convert import converted as converted
