# SPDX-License-Identifier: Apache-2.0
"""Arrays of frames as animated GIF, which TensorBoard plays too.

Axes: (T, H, W); (T, C, H, W) or (T, H, W, C); (N, T, C, H, W) or (N, T, H, W, C) for N videos side by side. Channels
and brightness are those of images. A frame of more than 256 colors gets the palette of an octree, and Floyd-Steinberg
dithering hides the bands. Measured with 100 frames 256 x 256: processor time, size, mean absolute difference of the
pixels and of means of 4 x 4 pixels, for a moving gradient of all colors and for a scene with a ball:

    octree, no dithering     0.12 s  1.3 MB   5.5  5.2    0.10 s  0.4 MB  2.7  2.5
    octree, Floyd-Steinberg  0.47 s  3.0 MB   4.9  1.0    0.27 s  2.0 MB  2.9  0.6
    octree, ordered          0.39 s  2.5 MB   4.8  2.2    0.22 s  1.7 MB  3.1  1.5
    median cut, F.-S.       15.85 s  3.0 MB   4.9  1.1    1.42 s  2.8 MB  1.3  0.4
    shared palette, F.-S.    0.63 s  2.9 MB  10.9  3.4    0.27 s  2.7 MB  2.5  0.8
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array
from mindscope.capture.array_kind import ArrayKind, Encode, WarnOnce
from mindscope.capture.encoded import Encoded
from mindscope.capture.images import brightness, channel_axis, image_value, tile
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.types import Message

DEFAULT_FPS = 4.0  # as PyTorch's add_video
MAX_FPS = 50.0  # browsers play faster frames slowly
MAX_FRAMES = 1000
MAX_VALUES = 1 << 27
MAX_SIDE = 65535  # of a GIF
_COLORS = 256
_LOOP_FOREVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
_GRAYS = bytes(np.repeat(np.arange(_COLORS, dtype=np.uint8), 3))


def split_frames(value: Any) -> tuple[Any, float]:
    """Return the frames and the frames per second of ``frames`` or of ``{"frames": frames, "fps": 10}``.

    Raises ValueRejectedError.
    """
    if not isinstance(value, Mapping):
        return value, DEFAULT_FPS
    given = cast("Mapping[str, Any]", value)
    if set(given) not in ({"frames"}, {"frames", "fps"}):
        raise ValueRejectedError(f'video is a dict of {sorted(map(str, given))}, want {{"frames": array, "fps": 10}}')
    fps = given.get("fps", DEFAULT_FPS)
    try:
        rate = float(fps)
    except (TypeError, ValueError):
        rate = 0.0
    if not 0.01 <= rate <= MAX_FPS:
        raise ValueRejectedError(f"fps is {fps!r}, want 0.01 to {MAX_FPS:g}: browsers slow down faster GIFs")
    return given["frames"], rate


def check_video(array: Array) -> None:
    """Raise unless ``array`` can be drawn: TypeRejectedError for complex numbers, ValueRejectedError for its shape."""
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"video has dtype {array.dtype}, want real numbers; record its absolute value")
    shape = array.shape
    if array.ndim not in (3, 4, 5) or (array.ndim > 3 and 0 not in shape and channel_axis(shape) is None):
        raise ValueRejectedError(
            f"video has shape {shape}, want (T, H, W), (T, C, H, W), (T, H, W, C), (N, T, C, H, W) or (N, T, H, W, C) "
            "with C of 1, 3 or 4"
        )
    if array.size == 0:
        raise ValueRejectedError(f"video has shape {shape} with no pixels, want at least one frame of one pixel")
    frames = shape[1] if array.ndim == 5 else shape[0]
    if frames > MAX_FRAMES:
        every = -(-frames // MAX_FRAMES)
        raise ValueRejectedError(f"video has {frames} frames, want at most {MAX_FRAMES}; record frames[::{every}]")
    if array.size > MAX_VALUES:
        raise ValueRejectedError(
            f"video has {array.size} values, want at most {MAX_VALUES}; record fewer frames, such as frames[::2], or "
            "smaller ones"
        )
    if max(shape) > MAX_SIDE:
        raise ValueRejectedError(f"video has shape {shape}, want sides of at most {MAX_SIDE}; record smaller frames")


def video_message(array: Array, fps: float = DEFAULT_FPS) -> tuple[Message, int]:
    """Return the ``Summary.Image`` of a video that ``check_video`` takes, and how many of its values are NaN or
    infinite.
    """
    batch = _as_batch(array)
    count, frames, height, width, channels = batch.shape
    pixels, invalid = brightness(batch.reshape(count * frames, height, width, channels))
    colored = pixels.reshape(count, frames, height, width, pixels.shape[3])
    sheets = [tile(colored[:, frame]) for frame in range(frames)]
    height, width, channels = sheets[0].shape
    message = {"height": height, "width": width, "colorspace": channels, "encoded_image": encode_gif(sheets, fps)}
    return message, invalid


def _as_batch(array: Array) -> Array:
    """Return a view of shape (N, T, H, W, C)."""
    if array.ndim == 3:
        return array[np.newaxis, :, :, :, np.newaxis]
    batch = array if array.ndim == 5 else array[np.newaxis]
    return np.moveaxis(batch, 2, 4) if channel_axis(array.shape) == -3 else batch


def encode_gif(frames: list[NDArray[np.uint8]], fps: float) -> bytes:
    """Return a GIF file that repeats uint8 ``frames`` (H, W, C) with 1, 3 or 4 channels.

    It holds every frame as a whole.
    """
    height, width, _ = frames[0].shape
    ends = [round(100 * (number + 1) / fps) for number in range(len(frames))]
    delays = np.diff([0, *ends])  # hundredths of a second, whose sum is exact
    parts = [b"GIF89a", struct.pack("<HHBBB", width, height, 0x70, 0, 0), _LOOP_FOREVER]
    for frame, delay in zip(frames, delays.tolist(), strict=True):
        indices, palette = _palette_image(frame)
        parts += (
            b"!\xf9\x04" + struct.pack("<BHBB", 0, min(delay, 0xFFFF), 0, 0),
            b"," + struct.pack("<HHHHB", 0, 0, width, height, 0x87) + palette,
            b"\x08" + _compress(indices) + b"\0",
        )
    return b"".join((*parts, b";"))


def _palette_image(frame: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], bytes]:
    """Return indices (H, W) into a palette of 256 colors, and the palette."""
    from PIL import Image

    if frame.shape[2] == 1:
        return np.ascontiguousarray(frame[:, :, 0]), _GRAYS
    image = Image.fromarray(_opaque(frame))
    if image.getcolors(_COLORS) is not None:
        reduced = image.quantize(_COLORS, method=Image.Quantize.MEDIANCUT)  # exact
    else:
        octree = image.quantize(_COLORS, method=Image.Quantize.FASTOCTREE)
        reduced = image.quantize(palette=octree, dither=Image.Dither.FLOYDSTEINBERG)
    palette = bytes(reduced.getpalette() or ())
    return np.asarray(reduced), palette.ljust(3 * _COLORS, b"\0")


def _opaque(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return RGB over white."""
    if frame.shape[2] == 3:
        return np.ascontiguousarray(frame)
    alpha = frame[:, :, 3:].astype(np.uint16)
    return ((frame[:, :, :3] * alpha + 255 * (255 - alpha)) // 255).astype(np.uint8)


def _compress(indices: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    return Image.fromarray(indices).tobytes("gif", "L", 8, 0)


def _split(value: Any) -> tuple[Any, Encode]:
    frames, fps = split_frames(value)
    return frames, partial(_encode, fps=fps)


def _encode(tag: str, array: Array, warn_once: WarnOnce, fps: float = DEFAULT_FPS) -> Encoded:
    with np.errstate(all="ignore"):
        message, invalid = video_message(array, fps)
    if invalid:
        warn_once("NaN", tag, f"video {tag!r} has {invalid} values that are NaN or infinite; their pixels are magenta")
    return image_value(tag, message)


VIDEO = ArrayKind(check_video, _encode, split=_split)
