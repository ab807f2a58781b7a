"""`tf.keras.applications`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications import *

from . import (  # type: ignore[no-redef]
    convnext as convnext,
    densenet as densenet,
    efficientnet as efficientnet,
    efficientnet_v2 as efficientnet_v2,
    imagenet_utils as imagenet_utils,
    inception_resnet_v2 as inception_resnet_v2,
    inception_v3 as inception_v3,
    mobilenet as mobilenet,
    mobilenet_v2 as mobilenet_v2,
    mobilenet_v3 as mobilenet_v3,
    nasnet as nasnet,
    resnet as resnet,
    resnet50 as resnet50,
    resnet_v2 as resnet_v2,
    vgg16 as vgg16,
    vgg19 as vgg19,
    xception as xception,
)
