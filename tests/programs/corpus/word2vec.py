"""Skip-gram word vectors with noise-contrastive estimation, without Keras: variables, embeddings, sparse gradients."""

from __future__ import division, print_function

import collections
import random

import numpy as np
import tensorflow as tf

random.seed(0)
np.random.seed(0)
tf.random.set_seed(0)
learning_rate, batch_size, embedding_size, num_sampled = 0.3, 32, 8, 6
text = ("the cat sat on the mat the dog sat on the rug a cat and a dog ran " * 20).split()
count = [("UNK", -1), *collections.Counter(text).most_common(30)]
word2id = {word: i for i, (word, _) in enumerate(count)}
data = [word2id[word] for word in text]
vocabulary_size = len(word2id)

with tf.device("/cpu:0"):
    embedding = tf.Variable(tf.random.normal([vocabulary_size, embedding_size]))
    nce_weights = tf.Variable(tf.random.normal([vocabulary_size, embedding_size]))
    nce_biases = tf.Variable(tf.zeros([vocabulary_size]))


def next_batch():
    centers = np.random.randint(1, len(data) - 1, batch_size)
    x = np.array([data[i] for i in centers], dtype=np.int32)
    y = np.array([[data[i + random.choice([-1, 1])]] for i in centers], dtype=np.int64)
    return x, y


def nce_loss(x_embed, y):
    return tf.reduce_mean(
        tf.nn.nce_loss(
            weights=nce_weights,
            biases=nce_biases,
            labels=y,
            inputs=x_embed,
            num_sampled=num_sampled,
            num_classes=vocabulary_size,
        )
    )


def evaluate(x_embed):
    x_embed = tf.cast(x_embed, tf.float32)
    x_embed_norm = x_embed / tf.sqrt(tf.reduce_sum(tf.square(x_embed)))
    embedding_norm = embedding / tf.sqrt(tf.reduce_sum(tf.square(embedding), 1, keepdims=True))
    return tf.matmul(x_embed_norm, embedding_norm, transpose_b=True)


losses = []
for step in range(150):
    x, y = next_batch()
    with tf.GradientTape() as g:
        loss = nce_loss(tf.nn.embedding_lookup(embedding, x), y)
    gradients = g.gradient(loss, [embedding, nce_weights, nce_biases])
    for variable, gradient in zip([embedding, nce_weights, nce_biases], gradients):
        variable.assign_sub(learning_rate * tf.convert_to_tensor(gradient))
    losses.append(loss.numpy())
print("loss %.3f -> %.3f" % (np.mean(losses[:10]), np.mean(losses[-10:])))
assert np.mean(losses[-10:]) < np.mean(losses[:10])
similar = evaluate(tf.nn.embedding_lookup(embedding, [word2id["cat"]])).numpy()
nearest = (-similar[0]).argsort()[:3]
assert nearest[0] == word2id["cat"]
print("ok")
