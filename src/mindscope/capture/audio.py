# SPDX-License-Identifier: Apache-2.0
"""Sound as WAV files of 16 bits.

Samples: (L,), (C, L) or (L, C) with at most 16 channels C. Floats lie in [-1, 1]; others are clipped. int16 is kept,
and other integers are scaled from their range.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array, to_scalar
from mindscope.capture.array_kind import ArrayKind, Encode, WarnOnce
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats.kinds.audio import audio_to_tensorboard
from mindscope.formats.tensorboard_values import value_field
from mindscope.types import Audio

DEFAULT_RATE = 44_100
_MOST_CHANNELS = 16
_MOST_RATE = 1 << 24
_HIGHEST = 32767


def audio_kind(sample_rate: Any) -> ArrayKind:
    """Return the kind of sound with ``sample_rate`` in Hz. Raises ValueRejectedError."""
    return ArrayKind(check_audio, partial(_encode, sample_rate=check_rate(sample_rate)))


def check_rate(rate: Any) -> int:
    """Return a sample rate in Hz. Raises ValueRejectedError."""
    try:
        number = to_scalar(rate)
    except ValueError as error:
        raise TypeRejectedError(f"sample_rate is {rate!r}, want a number of samples a second") from error
    if not 1 <= number <= _MOST_RATE:
        raise ValueRejectedError(f"sample_rate is {number}, want 1 to {_MOST_RATE} samples a second")
    return int(number)


def check_audio(array: Array) -> None:
    """Raise unless ``array`` is sound: TypeRejectedError for complex numbers, ValueRejectedError for its shape."""
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"audio has dtype {array.dtype}, want real numbers")
    axes = [size for size in array.shape if size != 1]
    if array.size == 0 or array.ndim > 3 or len(axes) > 2 or (len(axes) == 2 and min(axes) > _MOST_CHANNELS):
        raise ValueRejectedError(
            f"audio has shape {array.shape}, want (L,), (C, L) or (L, C) with C of 1 to {_MOST_CHANNELS}"
        )


def _as_frames(array: Array) -> Array:
    """Return a view of shape (L, C)."""
    plain = array.squeeze()
    if plain.ndim < 2:
        return plain.reshape(-1, 1)
    is_channels_first = plain.shape[0] <= _MOST_CHANNELS and plain.shape[0] < plain.shape[1]
    return np.moveaxis(plain, 0, 1) if is_channels_first else plain


def _encode(tag: str, array: Array, warn_once: WarnOnce, sample_rate: int) -> bytes:
    if _is_clipped(array):
        warn_once("clipped", tag, f"audio {tag!r} has samples beyond -1 to 1, or NaN; they are clipped")
    return value_field(audio_to_tensorboard(tag, wave_of(array, sample_rate)))


def _is_clipped(array: Array) -> bool:
    with np.errstate(invalid="ignore"):
        return array.dtype.kind not in "biu" and not bool((np.abs(array) <= 1).all())


def wave_of(array: Array, sample_rate: int) -> Audio:
    """Return the clip of an array that ``check_audio`` accepts. NaN is silence."""
    samples = _samples(_as_frames(array))
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(samples.shape[1])
        writer.setsampwidth(2)
        writer.setframerate(sample_rate)
        writer.writeframes(samples.tobytes())
    return Audio(float(sample_rate), samples.shape[1], samples.shape[0], file.getvalue(), "audio/wav")


def _samples(frames: Array) -> NDArray[np.int16]:
    if frames.dtype == np.int16:
        return frames.astype("<i2")
    if frames.dtype.kind in "iu":
        half = 1 << 8 * frames.itemsize - 1
        middle = half if frames.dtype.kind == "u" else 0
        return ((frames.astype(np.float64) - middle) / half * _HIGHEST).astype("<i2")
    wide = frames.astype(np.float32 if frames.itemsize <= 4 else np.float64)
    return (np.nan_to_num(wide, nan=0.0).clip(-1, 1) * _HIGHEST).astype("<i2")


def _split(value: Any) -> tuple[Any, Encode]:
    if not isinstance(value, Mapping):
        return value, partial(_encode, sample_rate=DEFAULT_RATE)
    given = cast("Mapping[str, Any]", value)
    if set(given) not in ({"samples"}, {"samples", "sample_rate"}):
        raise ValueRejectedError(
            f'audio is a dict of {sorted(map(str, given))}, want {{"samples": array, "sample_rate": 44100}}'
        )
    return given["samples"], audio_kind(given.get("sample_rate", DEFAULT_RATE)).encode


AUDIO = ArrayKind(check_audio, partial(_encode, sample_rate=DEFAULT_RATE), split=_split)
