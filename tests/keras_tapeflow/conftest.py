"""These tests are about Keras with tapeflow as its backend: chosen here, before any of them imports Keras."""

from keras_tapeflow import hook

hook.choose()

import keras  # noqa: F401
