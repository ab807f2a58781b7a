"""`tf.keras.preprocessing.text`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.preprocessing.text import (
    Tokenizer as Tokenizer,
    hashing_trick as hashing_trick,
    one_hot as one_hot,
    text_to_word_sequence as text_to_word_sequence,
    tokenizer_from_json as tokenizer_from_json,
)
