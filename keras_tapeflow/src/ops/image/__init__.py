"""Keras' operations on images: colours, sizes, geometry, filters. All of them have gradients, also to what moves
pixels."""

from .colours import hsv_to_rgb as hsv_to_rgb
from .colours import rgb_to_grayscale as rgb_to_grayscale
from .colours import rgb_to_hsv as rgb_to_hsv
from .filters import elastic_transform as elastic_transform
from .filters import gaussian_blur as gaussian_blur
from .filters import sobel_edges as sobel_edges
from .geometry import affine_transform as affine_transform
from .geometry import compute_homography_matrix as compute_homography_matrix
from .geometry import perspective_transform as perspective_transform
from .sampling import AFFINE_TRANSFORM_FILL_MODES as AFFINE_TRANSFORM_FILL_MODES
from .sampling import AFFINE_TRANSFORM_INTERPOLATIONS as AFFINE_TRANSFORM_INTERPOLATIONS
from .sampling import MAP_COORDINATES_FILL_MODES as MAP_COORDINATES_FILL_MODES
from .sampling import map_coordinates as map_coordinates
from .sizes import RESIZE_INTERPOLATIONS as RESIZE_INTERPOLATIONS
from .sizes import SCALE_AND_TRANSLATE_METHODS as SCALE_AND_TRANSLATE_METHODS
from .sizes import resize as resize
from .sizes import scale_and_translate as scale_and_translate
