"""These tests are about Keras with tapeflow as its backend: chosen here, before any of them imports Keras."""

import tapeflow_keras_hook

tapeflow_keras_hook.choose()

import keras  # noqa: F401
