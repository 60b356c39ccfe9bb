# SPDX-License-Identifier: Apache-2.0
"""Encodes scalars on the caller's thread: encoding is cheaper than passing them to another thread."""

from __future__ import annotations

from mindscope.capture.array_conversion import Array, to_scalar
from mindscope.capture.array_kind import ArrayKind, WarnOnce
from mindscope.errors import ValueRejectedError
from mindscope.formats._frames import frame
from mindscope.formats._scalar_events import encode_scalar_record, encode_scalar_values, encode_summary_event

FLOAT32_MAX = 3.4028235677973366e38
"""The smallest float64 that becomes infinite as float32."""


def scalar_record(step: int, wall_time: float, scalars: dict[str, float]) -> bytes:
    """Return the complete record of a step of scalars."""
    try:
        return encode_scalar_record(wall_time, step, scalars)
    except UnicodeEncodeError:
        return frame(encode_summary_event(wall_time, step, scalar_fields(scalars)))


def scalar_fields(scalars: dict[str, float]) -> bytes:
    """Return their ``Summary.value`` fields. Invalid UTF-8 in a tag becomes backslash escapes."""
    return encode_scalar_values([tag.encode("utf-8", "backslashreplace") for tag in scalars], list(scalars.values()))


def range_warning(tag: str, number: float) -> str | None:
    """Return the warning for a number beyond float32; None for others."""
    if FLOAT32_MAX <= abs(number) < float("inf"):
        return f"scalar {tag!r} is {number}, beyond float32; mindscope keeps it, other programs read infinity"
    return None


def _check(array: Array) -> None:
    if array.size != 1 or array.dtype.kind == "c":
        raise ValueRejectedError(
            f"scalar is {array.dtype} of shape {array.shape}, want exactly one real element; record it as a tensor or "
            "histogram, or reduce it first"
        )


def _encode(tag: str, array: Array, warn_once: WarnOnce) -> bytes:
    number = to_scalar(array)
    if text := range_warning(tag, number):
        warn_once("range", tag, text)
    return scalar_fields({tag: number})


SCALAR = ArrayKind(_check, _encode)
"""A scalar that is still on a device when ``add_value`` gets it."""
