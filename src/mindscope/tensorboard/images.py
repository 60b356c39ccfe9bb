# SPDX-License-Identifier: Apache-2.0
"""Images whose axes a text such as CHW names, with boxes; pixels as PyTorch's ``SummaryWriter`` makes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array, to_array
from mindscope.capture.array_kind import ArrayKind, WarnOnce
from mindscope.capture.encoded import Encoded
from mindscope.capture.images import MAX_PIXELS, encode_png, image_value, tile
from mindscope.errors import TypeRejectedError, ValueRejectedError

_FORMATS = ({"H", "W"}, {"H", "W", "C"}, {"N", "H", "W", "C"})


def image_kind(
    dataformats: str, rescale: float = 1, boxes: Any = None, labels: Sequence[str] | str | None = None
) -> ArrayKind:
    """Return the kind of images with these axes.

    ``boxes`` has shape (n, 4): left, top, right and bottom in pixels. Raises ValueRejectedError.
    """
    axes = str(dataformats).upper()
    if set(axes) not in _FORMATS or len(set(axes)) != len(axes):
        raise ValueRejectedError(f"dataformats is {dataformats!r}, want the letters HW, CHW or NCHW in any order")
    edges = None if boxes is None else _check_boxes(to_array(boxes))
    names = [labels] if isinstance(labels, str) else None if labels is None else list(labels)
    if edges is not None and names is not None and len(names) != len(edges):
        names = None
    encode = partial(_encode, axes=axes, rescale=rescale, boxes=edges, labels=names)
    return ArrayKind(partial(_check, axes=axes), encode)


def _check(array: Array, axes: str) -> None:
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"image has dtype {array.dtype}, want real numbers; record its absolute value")
    shape = dict(zip(axes, array.shape, strict=False))
    channels = (1, 3) if "N" in axes else (1, 3, 4)
    if array.ndim != len(axes) or array.size == 0 or shape.get("C", 1) not in channels:
        raise ValueRejectedError(
            f"image has shape {array.shape}, want the axes {axes} with {' or '.join(map(str, channels))} channels"
        )
    if array.size > MAX_PIXELS * 4:
        raise ValueRejectedError(f"image has {array.size} values, want at most {MAX_PIXELS * 4}; record fewer")


def _check_boxes(boxes: Array) -> Array:
    if boxes.ndim != 2 or boxes.shape[1] != 4 or boxes.dtype.kind not in "biuf":
        raise ValueRejectedError(f"boxes have shape {boxes.shape}, want (n, 4): left, top, right, bottom")
    if not bool(np.isfinite(boxes).all()):
        raise ValueRejectedError("boxes have edges that are NaN or infinite")
    return boxes


def _encode(
    tag: str, array: Array, warn_once: WarnOnce, axes: str, rescale: float, boxes: Array | None,
    labels: list[str] | None,
) -> Encoded:  # fmt: skip
    pixels = _pixels(tag, _as_batch(array, axes), warn_once)
    sheet = tile(pixels)
    if sheet.shape[2] == 1:
        sheet = np.repeat(sheet, 3, axis=2)
    height, width, channels = sheet.shape
    if boxes is not None or rescale != 1:
        sheet = _drawn(sheet, rescale, boxes, labels)
    message = {"height": height, "width": width, "colorspace": channels, "encoded_image": encode_png(sheet)}
    return image_value(tag, message)


def _as_batch(array: Array, axes: str) -> Array:
    """Return a view of shape (N, H, W, C)."""
    full: Array = array
    order = axes
    for axis in "CN":
        if axis not in order:
            full, order = full[np.newaxis], axis + order
    return np.transpose(full, [order.index(axis) for axis in "NHWC"])


def _pixels(tag: str, batch: Array, warn_once: WarnOnce) -> NDArray[np.uint8]:
    if batch.dtype == np.uint8:
        return np.ascontiguousarray(batch)
    wide = batch.astype(np.float32) * np.float32(255)
    if not bool(np.isfinite(wide).all()):
        warn_once("NaN", tag, f"image {tag!r} has values that are NaN or infinite; they become black or white")
        wide = np.nan_to_num(wide, nan=0.0)
    return wide.clip(0, 255).astype(np.uint8)


def _drawn(sheet: NDArray[np.uint8], rescale: float, boxes: Array | None, labels: list[str] | None) -> NDArray[Any]:
    from PIL import Image, ImageDraw

    image = Image.fromarray(np.ascontiguousarray(sheet))
    draw = ImageDraw.Draw(image)
    for number, (left, top, right, bottom) in enumerate([] if boxes is None else boxes.tolist()):
        edges = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(edges, width=2, fill="Red")
        if labels:
            _label(draw, str(labels[number]), left, bottom)
    height, width = sheet.shape[:2]
    size = (max(1, int(width * rescale)), max(1, int(height * rescale)))
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS))


def _label(draw: Any, text: str, left: float, bottom: float) -> None:
    """Write ``text`` on a red ground above the lower edge of a box."""
    x0, y0, x1, y1 = draw.textbbox((0, 0), text)
    margin = np.ceil(0.05 * (y1 - y0))
    top = bottom - (y1 - y0) - 2 * margin
    draw.rectangle([(left, top), (left + x1 - x0, bottom)], fill="Red")
    draw.text((left + margin, top + margin), text, fill="black")
