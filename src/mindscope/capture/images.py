# SPDX-License-Identifier: Apache-2.0
"""Encodes arrays as PNG images: detects the axes, scales the brightness, and tiles batches on one sheet.

Axes: (H, W); (C, H, W) or (H, W, C); (N, C, H, W) or (N, H, W, C), with C of 1, 3 or 4. If both readings are
possible, the channels are first, as in MindSpore and PyTorch. So arrays with two channels and square feature maps, such
as (1, 2, 4, 4), are not images with the channels last; ``ambiguity`` describes shapes that remain ambiguous.

Brightness: uint8 is unchanged; bool is 0 and 255; numbers that all lie in [0, 1] are multiplied by 255 and
rounded; other integers that all lie in [0, 255] are unchanged; everything else is mapped linearly, the minimum of the
sheet to 0 and the maximum to 255. A pixel with NaN or an infinity in any channel is magenta; minimum and maximum
ignore it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.capture._pixels import brightness_to_bytes
from mindscope.capture.array_conversion import Array
from mindscope.capture.array_kind import ArrayKind, WarnOnce, value_buffers
from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.encoded import Encoded, joined, nested
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats import wire
from mindscope.types import Message

_CHANNELS = (1, 3, 4)
MAX_PIXELS = 1 << 27
"""Limit of a sheet; Pillow refuses to decode images of a little more."""
_COLUMNS = 8  # images in a row of a sheet, same as MindSpore
_FEW_ROWS = 8  # maximal rows of feature maps whose last axis could be mistaken for channels
_MAGENTA = (255, 0, 255, 255)
_COLOR_TYPES = {1: 0, 3: 2, 4: 6}
_IMAGE_HEAD = wire.parse_schemas("Head: 1 int32! height, 2 int32! width, 3 int32! colorspace")["Head"]
_FILE_NUMBER = 4  # field of an Image
_UP = 2  # PNG filter: difference to the byte above


def check_image(array: Array) -> None:
    """Raise unless ``array`` is drawable: TypeRejectedError for complex numbers, ValueRejectedError for its shape."""
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"image has dtype {array.dtype}, want real numbers; record its absolute value")
    if array.size == 0:
        raise ValueRejectedError(f"image has shape {array.shape} with no pixels, want at least one")
    shape = array.shape
    if not is_image_shape(shape):
        first = array.ndim in (3, 4) and shape[-1] in _CHANNELS
        remedy = f"; channels first it has {shape[-3]} of them: transpose it if they are last" if first else ""
        raise ValueRejectedError(
            f"image has shape {shape}, want (H, W), (C, H, W), (H, W, C), (N, C, H, W) or (N, H, W, C) with C of 1, 3 "
            f"or 4{remedy}"
        )
    pixels = _sheet_pixels(shape)
    if pixels > MAX_PIXELS:
        raise ValueRejectedError(
            f"image has shape {shape}, a sheet of {pixels} pixels, want at most {MAX_PIXELS}; record fewer or smaller "
            "images, such as images[..., ::2, ::2]"
        )


def is_image_shape(shape: tuple[int, ...]) -> bool:
    """Return whether an array of this shape is drawable, as one image or a batch."""
    if 0 in shape or len(shape) not in (2, 3, 4):
        return False
    return len(shape) == 2 or channel_axis(shape) is not None


def channel_axis(shape: tuple[int, ...]) -> int | None:
    """Return the axis of the channels in 3 or 4 axes, counted from the end; None if neither -3 nor -1 is possible."""
    channels, height, width = shape[-3:]
    if channels in _CHANNELS:
        return -3
    is_first = channels == 2 or height == width
    return -1 if width in _CHANNELS and not is_first else None


def _sheet_pixels(shape: tuple[int, ...]) -> int:
    """Return the pixels of the sheet of an image or batch, with those of unused cells."""
    first = -3 if len(shape) > 2 and channel_axis(shape) == -1 else -2
    height, width = shape[first], shape[first + 1]
    columns, rows = _grid(shape[0] if len(shape) == 4 else 1)
    return columns * rows * height * width


def _grid(count: int) -> tuple[int, int]:
    """Return the columns and rows of a sheet."""
    columns = min(count, _COLUMNS)
    return columns, -(-count // columns)


def ambiguity(shape: tuple[int, ...]) -> str | None:
    """Return the log text for a shape that ``is_image_shape`` accepts but that has two readings; None if it has one."""
    if len(shape) == 2:
        return None
    first, rows, last = shape[-3:]
    axis = channel_axis(shape)
    if axis == -3 and last in _CHANNELS:
        return f"has shape {shape}, which is read with the channels first; transpose it if they are last"
    if axis == -1 and rows <= _FEW_ROWS and first != rows:
        return f"has shape {shape}, which is read with the channels last; it is drawn wrong if they are first"
    return None


def as_batch(array: Array) -> Array:
    """Return a view of shape (N, H, W, C) of an image that ``check_image`` accepts."""
    if array.ndim == 2:
        return array[np.newaxis, :, :, np.newaxis]
    batch = array if array.ndim == 4 else array[np.newaxis]
    return np.transpose(batch, (0, 2, 3, 1)) if batch.shape[1] in _CHANNELS else batch


def copy_image(array: Array, buffers: BufferPool) -> Array:
    """Return a copy of an image; as bytes if all numbers lie in [0, 1], which takes a quarter of the memory."""
    pixels = _as_bytes(array, buffers.empty)
    return buffers.copy(array) if pixels is None else pixels


def _as_bytes(array: Array, empty: Callable[[int], NDArray[np.uint8]]) -> NDArray[np.uint8] | None:
    """Return the bytes of float32 numbers that all lie in [0, 1]; None for others."""
    if not (array.dtype == np.float32 and array.dtype.isnative and array.flags.c_contiguous):
        return None
    pixels = empty(array.size)
    return pixels.reshape(array.shape) if brightness_to_bytes(array.reshape(-1), pixels) else None


def image_message(array: Array) -> tuple[Message, int]:
    """Return the ``Summary.Image`` of one image or a batch, and how many of its values are NaN or infinite.

    A batch is tiled on one sheet of at most eight columns.
    """
    known = _as_bytes(array, _empty)
    pixels, invalid = brightness(as_batch(array if known is None else known))
    sheet = tile(pixels)
    height, width, channels = sheet.shape
    return {"height": height, "width": width, "colorspace": channels, "encoded_image": encode_png(sheet)}, invalid


def _empty(size: int) -> NDArray[np.uint8]:
    return np.empty(size, np.uint8)


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file of uint8 ``pixels`` (H, W, C) with 1, 3 or 4 channels.

    Uses one filter for all lines and run-length compression only. That takes a third to a fifth of the time of adaptive
    filters and a full search, which would slow down a training on few cores. Photographs are as small as with level 1
    of the usual search, drawings smaller, noise a tenth larger.
    """
    height, width, channels = pixels.shape
    lines = pixels.reshape(height, width * channels)
    filtered = np.empty((height, 1 + width * channels), np.uint8)
    filtered[:, 0] = _UP
    filtered[0, 1:] = lines[0]
    np.subtract(lines[1:], lines[:-1], out=filtered[1:, 1:])
    compressor = zlib.compressobj(1, strategy=zlib.Z_RLE)
    data = [compressor.compress(filtered.data), compressor.flush()]
    del filtered, lines  # as large as the image
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    return b"".join((b"\x89PNG\r\n\x1a\n", *_chunk(b"IHDR", header), *_chunk(b"IDAT", *data), *_chunk(b"IEND")))


def _chunk(name: bytes, *data: bytes) -> tuple[bytes, ...]:
    checksum = zlib.crc32(name)
    for part in data:
        checksum = zlib.crc32(part, checksum)
    return struct.pack(">I", sum(map(len, data))), name, *data, struct.pack(">I", checksum)


def brightness(batch: Array) -> tuple[NDArray[np.uint8], int]:
    """Return the uint8 pixels of ``batch``, and how many of its values are NaN or infinite."""
    if batch.dtype == np.uint8:
        return batch, 0
    if batch.dtype.kind == "b":
        return batch.astype(np.uint8) * np.uint8(255), 0
    if batch.dtype.kind in "iu":
        return _scale(batch, int(batch.min()), int(batch.max())), 0
    wide: NDArray[Any] = batch if batch.dtype.kind == "f" and batch.itemsize >= 4 else batch.astype(np.float32)
    is_valid = np.isfinite(wide)
    if is_valid.all():
        return _scale(wide, wide.min(), wide.max()), 0
    finite = wide[is_valid]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    pixels = _scale(np.where(is_valid, wide, wide.dtype.type(low)), low, high)
    return _mark(pixels, is_valid), int(wide.size - finite.size)


def _scale(batch: Array, low: Any, high: Any) -> NDArray[np.uint8]:
    if low >= 0 and high <= 1:
        if batch.dtype.kind != "f":
            return batch.astype(np.uint8) * np.uint8(255)
        return np.rint(batch * batch.dtype.type(255)).astype(np.uint8)
    if batch.dtype.kind in "iu" and low >= 0 and high <= 255:
        return batch.astype(np.uint8)
    low, high = float(low), float(high)
    # halved, because the range of float64 numbers may exceed float64
    share = (batch.astype(np.float64) / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)
    return np.rint(share * 255).astype(np.uint8)


def _mark(pixels: NDArray[np.uint8], is_valid: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return ``pixels`` in color, with invalid ones in magenta."""
    if pixels.shape[3] == 1:
        pixels = np.repeat(pixels, 3, axis=3)
    marked: NDArray[np.uint8] = np.array(pixels)
    marked[~is_valid.all(axis=3)] = _MAGENTA[: pixels.shape[3]]
    return marked


def tile(batch: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return one sheet (rows * H, columns * W, C) of the images in reading order; unused cells are 0."""
    count, height, width, channels = batch.shape
    if count == 1:
        return batch[0]
    columns, rows = _grid(count)
    cells = np.zeros((rows * columns, height, width, channels), np.uint8)
    cells[:count] = batch
    grid = np.swapaxes(cells.reshape(rows, columns, height, width, channels), 1, 2)
    return grid.reshape(rows * height, columns * width, channels)


def image_value(tag: str, message: Message) -> Encoded:
    """Return the ``Summary.value`` field of an ``Image`` message; its file is not copied if it is large."""
    file = message["encoded_image"]
    head = wire.encode(_IMAGE_HEAD, {name: message[name] for name in ("height", "width", "colorspace")})
    return joined(value_buffers(tag, "image", head, nested(_FILE_NUMBER, file)))


def _encode(tag: str, array: Array, warn_once: WarnOnce) -> Encoded:
    if text := ambiguity(array.shape):
        warn_once("axes", tag, f"image {tag!r} {text}")
    return _encode_pixels(tag, array, warn_once)


def _encode_pixels(tag: str, array: Array, warn_once: WarnOnce) -> Encoded:
    with np.errstate(all="ignore"):
        message, invalid = image_message(array)
    if invalid:
        warn_once("NaN", tag, f"image {tag!r} has {invalid} values that are NaN or infinite; their pixels are magenta")
    return image_value(tag, message)


IMAGE = ArrayKind(check_image, _encode, copy_image)
PIXELS = ArrayKind(check_image, _encode_pixels, copy_image)
"""An image that certainly has its channels first, (C, H, W), as those of figures."""
