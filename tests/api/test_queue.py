"""tf.queue.FIFOQueue: order, blocking, closing; and that gradients end there."""

import threading

import pytest

import tapeflow as tf


def test_order_and_size():
    q = tf.queue.FIFOQueue(3, [tf.int32, tf.string], shapes=[[], []])
    q.enqueue((1, "a"))
    q.enqueue_many(([2, 3], ["b", "c"]))
    number, text = q.dequeue()
    assert (int(number), text.numpy()) == (1, b"a") and int(q.size()) == 2
    numbers, texts = q.dequeue_many(2)
    assert numbers.numpy().tolist() == [2, 3] and texts.numpy().tolist() == [b"b", b"c"]


def test_named_components():
    q = tf.queue.FIFOQueue(3, [tf.int32], names=["x"])
    q.enqueue({"x": 5})
    assert int(q.dequeue()["x"]) == 5
    with pytest.raises(ValueError, match="named"):
        q.enqueue(5)


def test_wrong_elements():
    q = tf.queue.FIFOQueue(3, [tf.float32], shapes=[[2]])
    with pytest.raises(ValueError, match="Shape mismatch"):
        q.enqueue(1.0)
    with pytest.raises(ValueError, match="1 components"):
        q.enqueue((1.0, 2.0))


def test_closing():
    q = tf.queue.FIFOQueue(3, tf.int32)
    q.enqueue_many([[1, 2]])
    q.close()
    assert bool(q.is_closed()) and q.dequeue_up_to(5).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.OutOfRangeError):
        q.dequeue()
    with pytest.raises(tf.errors.CancelledError):
        q.enqueue(1)


def test_both_ends_wait_for_each_other():
    q = tf.queue.FIFOQueue(1, tf.int32)
    thread = threading.Thread(target=lambda: [q.enqueue(i) for i in range(20)])
    thread.start()
    assert [int(q.dequeue()) for _ in range(20)] == list(range(20))
    thread.join()


def test_gradients_end():
    q, x = tf.queue.FIFOQueue(2, [tf.float32], [()]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        q.enqueue(x * x)
        y = q.dequeue() * 3.0
    assert tape.gradient(y, x) is None
