# SPDX-License-Identifier: Apache-2.0
"""Pixels of images from arrays, files and figures, with masks and boxes painted on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import to_array
from mindscope.capture.array_kind import ArrayKind
from mindscope.capture.figures import figure_pixels
from mindscope.capture.images import as_batch, brightness, check_image
from mindscope.errors import ValueRejectedError
from mindscope.tensorboard.images import image_kind

_COLORS = ((230, 25, 75), (60, 180, 75), (0, 130, 200), (245, 130, 48), (145, 30, 180), (70, 240, 240), (240, 50, 230))
_OPACITY = 0.5


def pixels_of(data: Any) -> NDArray[np.uint8]:
    """Return one image as (H, W, C). Raises ValueRejectedError, and OSError for a file."""
    if isinstance(data, (str, PathLike)):
        from PIL import Image

        opened: Any = Image.open(cast(Any, data))
        with opened as file:
            return figure_pixels(file)
    if hasattr(data, "getbands") or hasattr(data, "savefig"):
        return figure_pixels(data)
    batch = as_batch(to_array(data, check=check_image))
    if batch.shape[0] != 1:
        raise ValueRejectedError(f"image has shape {batch.shape}, want one image for boxes and masks")
    with np.errstate(all="ignore"):
        return brightness(batch)[0][0]


def painted(pixels: NDArray[np.uint8], masks: Mapping[str, Any]) -> NDArray[np.uint8]:
    """Return RGB pixels with the classes of ``masks`` painted half transparent. Raises ValueRejectedError."""
    channels = pixels.shape[2]
    color = np.repeat(pixels, 3, axis=2) if channels == 1 else pixels[:, :, :3]
    result = color.astype(np.float32)
    for name, mask in masks.items():
        classes = to_array(mask["mask_data"] if isinstance(mask, Mapping) else mask)
        if classes.shape != pixels.shape[:2]:
            raise ValueRejectedError(
                f"mask {name!r} has shape {classes.shape}, want that of the image: {color.shape[:2]}"
            )
        palette = np.array(_COLORS, np.float32)
        number = classes.astype(np.int64)
        paint = palette[(number - 1) % len(_COLORS)]
        is_painted = (number != 0)[:, :, np.newaxis]
        result = np.where(is_painted, (1 - _OPACITY) * result + _OPACITY * paint, result)
    return np.asarray(result.round(), np.uint8)


def with_boxes(edges: NDArray[np.float64], labels: Sequence[str] | None) -> ArrayKind:
    """Return the kind of an image (H, W, C) with boxes drawn."""
    return image_kind("HWC", boxes=edges, labels=labels)


def boxes_of(boxes: Any, shape: tuple[int, ...]) -> tuple[NDArray[np.float64], list[str] | None]:
    """Return edges (n, 4) in pixels and labels of the boxes of ``Image``. Raises ValueRejectedError."""
    if not isinstance(boxes, Mapping):
        return to_array(boxes).astype(np.float64), None
    edges: list[tuple[float, ...]] = []
    labels: list[str] = []
    for group in cast("Mapping[str, Any]", boxes).values():
        names = group.get("class_labels", {})
        for box in group["box_data"]:
            edges.append(_edges(box, shape))
            number = box.get("class_id")
            labels.append(str(box.get("box_caption") or names.get(number, "" if number is None else number)))
    return np.array(edges, np.float64).reshape(-1, 4), labels if any(labels) else None


def _edges(box: Mapping[str, Any], shape: tuple[int, ...]) -> tuple[float, ...]:
    position = box["position"]
    height, width = (1, 1) if box.get("domain") == "pixel" else shape[:2]
    if "middle" in position:
        x, y = position["middle"]
        w, h = position["width"], position["height"]
        return (x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height
    return position["minX"] * width, position["minY"] * height, position["maxX"] * width, position["maxY"] * height
