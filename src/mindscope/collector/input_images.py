# SPDX-License-Identifier: Apache-2.0
"""Images in the input of a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mindscope.capture.images import is_image_shape

MOST_IMAGES = 8
"""Number of images of a batch to collect: a row. All of a large batch would cost more than everything else together."""


def first_column(element: Any) -> Any:
    """Return the first of the columns of an element of a data set; the element itself where it has no columns."""
    if isinstance(element, (list, tuple)) and element:
        return cast("list[Any]", element)[0]
    if isinstance(element, Mapping) and element:
        return next(iter(cast("Mapping[Any, Any]", element).values()))
    return cast(Any, element)


def are_images(data: Any) -> bool:
    """Return whether an array of any framework is (N, C, H, W) or (N, H, W, C), real, of 1, 3 or 4 channels."""
    shape = tuple(getattr(data, "shape", ()))
    is_complex = "complex" in str(getattr(data, "dtype", "")).lower()
    return len(shape) == 4 and not is_complex and is_image_shape(shape)
