"""Sentences become numbers by a table of words, in a pipeline and in a saved model that takes texts."""

import tempfile

import numpy as np
import tensorflow as tf

GOOD, BAD = ["good", "great", "fine"], ["bad", "awful", "poor"]
rng = np.random.default_rng(0)
labels = rng.integers(0, 2, 96).astype("float32")
texts = [
    " ".join(
        rng.choice(["the", "film", "was", "Really"], rng.integers(1, 5)).tolist() + [rng.choice([BAD, GOOD][int(k)])]
    )
    for k in labels
]

split = tf.data.Dataset.from_tensor_slices(texts).map(tf.strings.lower).map(tf.strings.split)
words = sorted({word for sentence in split.as_numpy_iterator() for word in sentence})
numbers = tf.lookup.KeyValueTensorInitializer(words, tf.range(len(words), dtype=tf.int64))
BUCKETS = 2


class Sentiment(tf.Module):
    def __init__(self):
        super().__init__()
        self.table = tf.lookup.StaticVocabularyTable(numbers, num_oov_buckets=BUCKETS)
        self.names = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), ["bad", "good"]), "?"
        )
        self.weights = tf.Variable(tf.zeros([len(words) + BUCKETS, 1]))

    def logits(self, ids):
        return tf.squeeze(tf.reduce_mean(tf.nn.embedding_lookup(self.weights, ids), axis=1), -1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def judge(self, sentences):
        ids = self.table.lookup(tf.strings.split(tf.strings.lower(sentences)))
        score = tf.sigmoid(self.logits(ids))
        return {"score": score, "label": self.names.lookup(tf.cast(tf.round(score), tf.int64))}


model = Sentiment()
data = tf.data.Dataset.zip((split.map(model.table.lookup), tf.data.Dataset.from_tensor_slices(labels)))
batches = data.shuffle(96, seed=1).ragged_batch(16)
optimizer = tf.keras.optimizers.Adam(0.3)


@tf.function
def train_step(ids, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(target, model.logits(ids)))
    optimizer.apply_gradients([(tape.gradient(loss, model.weights), model.weights)])
    return loss


losses = [float(tf.reduce_mean([train_step(ids, tf.convert_to_tensor(y)) for ids, y in batches])) for _ in range(6)]
assert losses[-1] < 0.3 * losses[0], losses

folder = tempfile.mkdtemp()
tf.saved_model.save(model, folder, signatures=model.judge)
loaded = tf.saved_model.load(folder)
found = loaded.signatures["serving_default"](tf.constant(["The film was great", "AWFUL", "an unknown bad thing"]))
assert found["label"].numpy().tolist() == [b"good", b"bad", b"bad"], found
print(f"ok: from {losses[0]:.3f} to {losses[-1]:.3f}")
