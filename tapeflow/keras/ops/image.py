"""`tf.keras.ops.image`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.ops.image import (
    affine_transform as affine_transform,
    crop_images as crop_images,
    elastic_transform as elastic_transform,
    extract_patches as extract_patches,
    extract_patches_3d as extract_patches_3d,
    gaussian_blur as gaussian_blur,
    hsv_to_rgb as hsv_to_rgb,
    map_coordinates as map_coordinates,
    pad_images as pad_images,
    perspective_transform as perspective_transform,
    resize as resize,
    rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_hsv as rgb_to_hsv,
    scale_and_translate as scale_and_translate,
    sobel_edges as sobel_edges,
    ssim as ssim,
)
