# SPDX-License-Identifier: Apache-2.0
"""An array kind says how ``add_value`` checks, copies and encodes a kind of value that is an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mindscope.capture.array_conversion import Array
from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.encoded import Encoded, nested
from mindscope.capture.protobuf_fields import bytes_field, text_field
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import VALUE
from mindscope.types import Message

WarnOnce = Callable[[str, str, str], None]
"""Takes the cause, the subject and the text of a warning."""
Encode = Callable[[str, Array, WarnOnce], Encoded]
"""Makes the ``Summary.value`` fields of a tag from an array that was checked. Thread-safe."""


def _copy(array: Array, buffers: BufferPool) -> Array:
    return buffers.copy(array)


class ArrayKind(NamedTuple):
    """The functions of one kind. ``check`` raises TypeRejectedError or ValueRejectedError for other arrays.

    ``split`` is for values that may be more than an array: it returns the array in a value, and how to encode it.
    """

    check: Callable[[Array], None]
    encode: Encode
    copy: Callable[[Array, BufferPool], Array] = _copy
    split: Callable[[Any], tuple[Any, Encode]] | None = None


def value_field(tag: str, name: str, message: Message) -> bytes:
    """Return the ``Summary.value`` field that holds ``message`` in its field ``name``."""
    return bytes_field(1, wire.encode(VALUE, {"tag": tag, name: message}))


_NUMBERS = {field.name: field.number for field in VALUE.fields}


def value_buffers(tag: str, name: str, *message: Encoded) -> Encoded:
    """Return the same as ``value_field``, for a message that is encoded in parts already."""
    return nested(1, text_field(_NUMBERS["tag"], tag), nested(_NUMBERS[name], *message))
