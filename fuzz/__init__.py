"""Random calls of every public function, compared across the interpretations of a program and with TensorFlow's
answers.

    python -m fuzz --seconds 60 --seed 7             # search, and print a table of what disagrees
    python -m fuzz --replay "tf.math.atan2(array('float32', (2, 3), 'special', 5), 1.5)"

A call is one line of text, and the text is all there is: arrays are given by dtype, shape, kind of values and seed.
"""
