import numpy as np
import pytest
from keras import layers

import tapeflow as tf
from keras_tapeflow.src.rnn import rnn

X = np.arange(1.0, 9.0, dtype="float32").reshape(2, 4, 1)
MASK = np.array([[False, True, False, True], [True, True, False, False]])
MODES = {"eager": lambda f: f, "graph": tf.function, "xla": tf.function(jit_compile=True)}


def running_sum(x, states):
    """The sum of all inputs; the output is twice that."""
    [total] = states
    total = total + x
    return total * 2, [total]


def run(mode, **options):
    function = MODES[mode](lambda x: rnn(running_sum, x, [tf.zeros([2, 1])], **options))
    last, outputs, [state] = function(tf.constant(X))
    return last.numpy()[:, 0].tolist(), outputs.numpy()[..., 0].tolist(), state.numpy()[:, 0].tolist()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("unroll", [False, True])
def test_outputs_and_states(mode, unroll):
    last, outputs, state = run(mode, unroll=unroll)
    assert outputs == [[2, 6, 12, 20], [10, 22, 36, 52]]
    assert last == [20, 52] and state == [10, 26]


@pytest.mark.parametrize("mode", MODES)
def test_backwards_gives_outputs_in_the_order_of_the_steps(mode):
    last, outputs, state = run(mode, go_backwards=True)
    assert outputs == [[8, 14, 18, 20], [16, 30, 42, 52]]
    assert last == [20, 52] and state == [10, 26]


@pytest.mark.parametrize("mode", MODES)
def test_masked_steps_keep_the_state_and_repeat_the_output(mode):
    last, outputs, state = run(mode, mask=MASK)
    assert outputs == [[0, 4, 4, 12], [10, 22, 22, 22]]
    assert last == [12, 22] and state == [6, 11]


@pytest.mark.parametrize("mode", MODES)
def test_masked_steps_backwards(mode):
    last, outputs, state = run(mode, mask=MASK, go_backwards=True)
    assert outputs == [[8, 8, 12, 12], [0, 0, 12, 22]]
    assert last == [12, 22] and state == [6, 11]


@pytest.mark.parametrize("mode", MODES)
def test_masked_outputs_can_be_zero(mode):
    last, outputs, state = run(mode, mask=MASK, zero_output_for_mask=True)
    assert outputs == [[0, 4, 0, 12], [10, 22, 0, 0]]
    assert last == [12, 0] and state == [6, 11]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [{}, {"mask": MASK}, {"go_backwards": True}], ids=str)
def test_the_last_output_alone(mode, options):
    last, outputs, state = run(mode, return_all_outputs=False, **options)
    every = run(mode, **options)
    assert outputs == [[value] for value in every[0]] and last == every[0] and state == every[2]


def test_time_may_be_the_first_axis():
    turned = lambda x: x.transpose(1, 0, *range(2, x.ndim))
    for options in ({}, {"mask": turned(MASK)}):
        _, outputs, _ = rnn(running_sum, turned(X), [tf.zeros([2, 1])], time_major=True, **options)
        own = {"mask": MASK} if options else {}
        np.testing.assert_array_equal(
            turned(outputs.numpy()), rnn(running_sum, X, [tf.zeros([2, 1])], **own)[1].numpy()
        )


def test_constants_follow_the_states():
    step = lambda x, states: (x * states[1], [states[0] + states[1]])
    last, _, [state] = rnn(step, X, [tf.zeros([])], constants=[tf.constant(3.0)])
    assert last.numpy().tolist() == [[12], [24]] and float(state) == 12


@pytest.mark.parametrize("mode", MODES)
def test_inputs_and_outputs_may_be_structures(mode):
    def step(x, states):
        return {"sum": x["a"] + x["b"], "state": states[0]}, [states[0] + x["a"]]

    function = MODES[mode](lambda a, b: rnn(step, {"a": a, "b": b}, [tf.zeros([2, 1])]))
    last, outputs, _ = function(tf.constant(X), tf.constant(X * 10))
    np.testing.assert_array_equal(outputs["sum"].numpy(), X * 11)
    np.testing.assert_array_equal(last["state"].numpy()[:, 0], [6, 18])


@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize("layer", [layers.LSTM, layers.GRU, layers.SimpleRNN])
def test_gradients_of_a_graph_are_those_of_eager(layer, mask):
    made = layer(3, return_sequences=True, return_state=True, go_backwards=mask is None)
    made.build((2, 4, 1))

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.add_n([tf.reduce_sum(tf.sin(part)) for part in made(x, mask=mask)])
        return [loss, *tape.gradient(loss, [x, *made.trainable_variables])]

    expected = step(tf.constant(X))
    for mode in ("graph", "xla"):
        for found, wanted in zip(MODES[mode](step)(tf.constant(X)), expected):
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), atol=2e-5)


WAYS = [
    (layers.LSTM, {}),
    (
        layers.LSTM,
        {"use_bias": False, "activation": "relu", "recurrent_activation": "hard_sigmoid", "go_backwards": True},
    ),
    (layers.GRU, {}),
    (layers.GRU, {"reset_after": False, "go_backwards": True}),
    (layers.GRU, {"use_bias": False, "activation": "relu"}),
]


@pytest.mark.parametrize(("layer", "options"), WAYS, ids=str)
@pytest.mark.parametrize("every", [False, True])
def test_a_whole_layer_gives_what_its_steps_give(layer, options, every):
    """`use_cudnn=False` keeps Keras from asking for the whole layer."""
    whole, steps = [
        layer(3, return_sequences=every, return_state=True, bias_initializer="uniform", use_cudnn=use, **options)
        for use in (True, False)
    ]
    whole.build((2, 4, 1))
    steps.build((2, 4, 1))
    steps.set_weights(whole.get_weights())
    for found, expected in zip(whole(X), steps(X)):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-6)


def test_a_step_that_draws_advances_its_generator_in_a_graph():
    import keras

    generator = keras.random.SeedGenerator(1)
    step = lambda x, states: (x + keras.random.uniform((2, 1), seed=generator), states)
    function = tf.function(lambda x: rnn(step, x, [tf.zeros([2, 1])])[1] - x)
    noise = function(tf.constant(X)).numpy()
    assert len(np.unique(noise.round(4))) == 8
    assert np.array(generator.state).tolist() == [1, 4]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("layer", [layers.LSTM, layers.GRU, layers.SimpleRNN])
def test_sizes_that_a_trace_leaves_open(layer, masked):
    made = layer(3, return_sequences=True, return_state=True)
    made.build((None, None, 1))
    function = tf.function(lambda x, mask: made(x, mask=mask if masked else None), reduce_retracing=True)
    for count, steps in ((1, 4), (2, 4), (2, 3), (1, 2)):
        x, mask = tf.constant(X[:count, :steps]), tf.constant(MASK[:count, :steps])
        for found, expected in zip(function(x, mask), made(x, mask=mask if masked else None)):
            np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-6)
