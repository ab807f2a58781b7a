"""Recurrent networks: a step function applied along time. Eagerly it is a Python loop, in a graph one node that has
the step as its body."""

from collections.abc import Callable
from typing import Any

from keras.src import tree
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.backend.common.symbolic_scope import in_symbolic_scope

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.function.control.conditions import over_rows
from tapeflow.function.tracing.regions import inside_a_graph

from .ops.core import convert_to_tensor
from .ops.shapes import sizes


def rnn(
    step_function: Callable,
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> tuple:
    """(The last output; the outputs of all steps, or of the last one alone; the last states)."""
    time = 0 if time_major else 1
    sequences = [convert_to_tensor(x) for x in tree.flatten(inputs)]
    states = tree.map_structure(convert_to_tensor, initial_states)
    constants = list(constants or ())
    if mask is not None:
        mask = convert_to_tensor(mask, "bool")
        if mask.ndim > 2:  # one decision for each step of each sequence
            mask = tf.reshape(mask, sizes(mask)[:2])

    def step(states: Any, parts: list) -> tuple:
        """(The states afterwards, the output): rows that are masked keep their states."""
        row = tree.pack_sequence_as(inputs, parts[: len(sequences)])
        given = type(states)([*states, *constants]) if constants else states
        output, new = step_function(row, given)
        output = tree.map_structure(convert_to_tensor, output)
        new = tree.pack_sequence_as(states, [convert_to_tensor(s) for s in tree.flatten(new)])
        if mask is not None:
            kept = lambda now, before: tf.where(_column(parts[-1], now.ndim), now, before)
            new = tree.map_structure(kept, new, states)
        return new, output

    rows = sequences if mask is None else [*sequences, mask]
    if in_symbolic_scope():  # only shapes and dtypes matter: one step has them
        states, outputs = _one_for_all(step, states, rows, time)
    elif inside_a_graph() and not unroll and not in_stateless_scope():
        states, outputs = _looped(step, states, rows, time, go_backwards, return_all_outputs or mask is not None)
    else:
        states, outputs = _unrolled(step, states, rows, time, go_backwards, return_all_outputs or mask is not None)
    if mask is not None:
        ran = tf.reverse(mask, [time]) if go_backwards else mask
        fill = _zeroed if zero_output_for_mask else _repeated
        outputs = tree.map_structure(lambda x: fill(x, ran, time), outputs)
    last = tree.map_structure(lambda x: x[-1] if time_major else x[:, -1], outputs)
    if not return_all_outputs:
        outputs = tree.map_structure(lambda x: tf.expand_dims(x, time), last)
    return last, outputs, states


# ---- three ways along time: each gives the last states, and the outputs along `time`, of all steps in their order or
# of the last one alone


def _one_for_all(step: Callable, states: Any, rows: list, time: int) -> tuple:
    states, output = step(states, [x[0] if time == 0 else x[:, 0] for x in rows])
    steps = sizes(rows[0])[time]
    return states, tree.map_structure(lambda x: tf.repeat(tf.expand_dims(x, time), steps, axis=time), output)


def _unrolled(step: Callable, states: Any, rows: list, time: int, backwards: bool, every: bool) -> tuple:
    outputs: list = []
    parts = list(zip(*[tf.unstack(x, axis=time) for x in rows]))
    for row in reversed(parts) if backwards else parts:
        states, output = step(states, list(row))
        if not every:
            outputs.clear()
        outputs.append(output)
    return states, tree.map_structure(lambda *xs: tf.stack(xs, axis=time), *outputs)


def _looped(step: Callable, states: Any, rows: list, time: int, backwards: bool, every: bool) -> tuple:
    traced: list = []

    def body(states: Any, parts: list) -> tuple:
        states, output = step(states, parts)
        same = None if every or tree.is_nested(output) else _place(output, tree.flatten(states))
        traced[:] = [output, same]
        return states, [] if same is not None else tree.flatten(output)

    lines = rows if time == 0 else [_swapped(x) for x in rows]
    states, stacked = over_rows(body, states, lines, backwards, "rnn")
    output, same = traced
    if same is not None:  # the last state has it: there is nothing to collect
        return states, tf.expand_dims(tree.flatten(states)[same], time)
    if backwards:
        stacked = [tf.reverse(x, [0]) for x in stacked]
    found = [x if time == 0 else _swapped(x) for x in stacked]
    return states, tree.pack_sequence_as(output, found) if tree.is_nested(output) else found[0]


def _place(tensor: Tensor, among: list) -> int | None:
    return next((k for k, other in enumerate(among) if other is tensor), None)


def _swapped(x: Tensor) -> Tensor:
    return tf.transpose(x, [1, 0, *range(2, x.ndim)])


# ---- masks


def _column(mask: Tensor, rank: int) -> Tensor:
    """A mask in front of axes of size 1."""
    return mask[(..., *[None] * (rank - mask.ndim))]


def _zeroed(outputs: Tensor, mask: Tensor, time: int) -> Tensor:
    return tf.where(_column(mask, outputs.ndim), outputs, tf.zeros([], outputs.dtype))


def _repeated(outputs: Tensor, mask: Tensor, time: int) -> Tensor:
    """A masked step has the output of the last one before it that is not; zeros, if there is none."""
    if time == 0:
        return _swapped(_repeated(_swapped(outputs), tf.transpose(mask), 1))
    steps = sizes(mask)[1]
    ran = tf.sort(tf.where(mask, tf.range(steps), steps), axis=1)  # the steps that are not masked, in front
    so_far = tf.cumsum(tf.cast(mask, tf.int32), axis=1)
    last = tf.gather(ran, tf.maximum(so_far - 1, 0), batch_dims=1)
    found = tf.gather(outputs, tf.minimum(last, steps - 1), batch_dims=1)
    return _zeroed(found, so_far > 0, time)


# ---- whole layers. Keras asks for them first, and takes `rnn` where there is none


def cudnn_ok(activation: Any, recurrent_activation: Any, unroll: bool, use_bias: bool = True) -> bool:
    return False


def lstm(
    inputs: Any, initial_state_h: Any, initial_state_c: Any, mask: Any, kernel: Any, recurrent_kernel: Any, bias: Any,
    activation: Any, recurrent_activation: Any, return_sequences: bool = False, go_backwards: bool = False,
    unroll: bool = False, batch_first: bool = True,
) -> tuple:  # fmt: skip
    _only_where_it_pays(mask)
    squash, gate, recurrent = _plain(activation), _plain(recurrent_activation), convert_to_tensor(recurrent_kernel)
    usual = squash is tf.tanh and gate is tf.sigmoid and recurrent.dtype.size >= 4

    def step(x: Tensor, states: list) -> tuple:
        h, c = states
        z = x + tf.matmul(h, recurrent)
        if usual:
            h, c, _ = ops.lstm_step(z, c)
            return h, [h, c]
        enter, keep, new, leave = tf.split(z, 4, axis=1)
        c = gate(keep) * c + gate(enter) * squash(new)
        h = gate(leave) * squash(c)
        return h, [h, c]

    first = [initial_state_h, initial_state_c]
    x = _of_all_steps(inputs, kernel, bias)
    return rnn(step, x, first, go_backwards, time_major=not batch_first, return_all_outputs=return_sequences)


def gru(
    inputs: Any, initial_state: Any, mask: Any, kernel: Any, recurrent_kernel: Any, bias: Any, activation: Any,
    recurrent_activation: Any, return_sequences: bool = False, go_backwards: bool = False, unroll: bool = False,
    reset_after: bool = True,
) -> tuple:  # fmt: skip
    _only_where_it_pays(mask)
    squash, gate, recurrent = _plain(activation), _plain(recurrent_activation), convert_to_tensor(recurrent_kernel)
    bias = None if bias is None else convert_to_tensor(bias)
    of_input, of_state = tf.unstack(bias) if bias is not None and reset_after else (bias, None)
    usual = squash is tf.tanh and gate is tf.sigmoid and recurrent.dtype.size >= 4
    units = recurrent.sizes[0]
    of_gates, of_new = (None, None) if reset_after else tf.split(recurrent, [2 * units, units], axis=1)

    def step(x: Tensor, states: list) -> tuple:
        [h] = states
        if reset_after:  # what the state says is forgotten after the product
            inner = tf.matmul(h, recurrent)
            inner = inner if of_state is None else inner + of_state
            if usual:
                h, _ = ops.gru_step(x, inner, h)
                return h, [h]
            (keep, reset, new), (h_keep, h_reset, h_new) = tf.split(x, 3, axis=1), tf.split(inner, 3, axis=1)
            keep, new = gate(keep + h_keep), squash(new + gate(reset + h_reset) * h_new)
        else:
            gates, new = tf.split(x, [2 * units, units], axis=1)
            keep, reset = tf.split(gate(gates + tf.matmul(h, of_gates)), 2, axis=1)
            new = squash(new + tf.matmul(reset * h, of_new))
        h = new + keep * (h - new)
        return h, [h]

    x = _of_all_steps(inputs, kernel, of_input)
    return rnn(step, x, tree.flatten(initial_state), go_backwards, return_all_outputs=return_sequences)


def _only_where_it_pays(mask: Any) -> None:
    """Eagerly a step without Keras around it takes two thirds of the time. In graphs nothing is gained: forward and
    gradient of LSTM(64) on 50 steps of 64 rows took 11.2 ms instead of 10.7 by the NumPy plan (by hand in NumPy 10.6),
    and 7.6 instead of 6.6 by XLA. A mask goes with an option that only `rnn` is told."""
    if mask is not None or inside_a_graph() or in_symbolic_scope():
        raise NotImplementedError  # Keras calls `rnn` then


def _of_all_steps(inputs: Any, kernel: Any, bias: Any) -> Tensor:
    """The part of each step that does not need the state, in one product."""
    kernel = convert_to_tensor(kernel)
    x = tf.tensordot(convert_to_tensor(inputs, kernel.dtype), kernel, 1)
    return x if bias is None else x + convert_to_tensor(bias)


def _plain(activation: Callable) -> Callable:
    """Keras' activation, without Keras' checks where it is one of the usual two."""
    from keras.src import activations  # which needs a backend first

    return {activations.tanh: tf.tanh, activations.sigmoid: tf.sigmoid}.get(activation, activation)


def bidirectional_lstm(
    inputs: Any, fwd_initial_state_h: Any, fwd_initial_state_c: Any, bwd_initial_state_h: Any,
    bwd_initial_state_c: Any, mask: Any, fwd_kernel: Any, fwd_recurrent_kernel: Any, fwd_bias: Any, bwd_kernel: Any,
    bwd_recurrent_kernel: Any, bwd_bias: Any, activation: Any, recurrent_activation: Any,
    return_sequences: bool = False, unroll: bool = False,
) -> tuple:  # fmt: skip
    raise NotImplementedError  # Keras runs the two layers then, which is as good


def bidirectional_gru(
    inputs: Any, fwd_initial_state: Any, bwd_initial_state: Any, mask: Any, fwd_kernel: Any, fwd_recurrent_kernel: Any,
    fwd_bias: Any, bwd_kernel: Any, bwd_recurrent_kernel: Any, bwd_bias: Any, activation: Any,
    recurrent_activation: Any, return_sequences: bool = False, unroll: bool = False, reset_after: bool = True,
) -> tuple:  # fmt: skip
    raise NotImplementedError  # Keras runs the two layers then, which is as good
