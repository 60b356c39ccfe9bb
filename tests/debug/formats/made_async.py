# SPDX-License-Identifier: Apache-2.0
"""Asynchronous dumps of Ascend, from the documented messages."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindscope.formats import wire
from mindscope.formats.ascend_dump_schemas import DATA_TYPES, DUMP_DATA


def async_tensor(
    content: Any, dtype: str = "", shape: Sequence[int] | None = None, format: int = 2, original: Sequence[int] = ()
) -> dict[str, Any]:
    """An input or output: an array, or bytes with their dtype and shape."""
    data = content if isinstance(content, bytes) else np.ascontiguousarray(content).tobytes()
    name = dtype or str(content.dtype)
    return {
        "data_type": DATA_TYPES.index(name),
        "format": format,
        "shape": {"dim": np.array(content.shape if shape is None else shape, np.uint64)},
        "original_shape": {"dim": np.array(original, np.uint64)},
        "size": len(data),
        "data": data,
    }


def async_file(
    input: Sequence[dict[str, Any]] = (), output: Sequence[dict[str, Any]] = (), is_whole: bool = False
) -> bytes:
    """A file; ``is_whole`` has no length and the bytes in the message."""
    message = {"version": "2.0", "dump_time": 1, "input": list(input), "output": list(output), "op_name": "op"}
    if is_whole:
        return wire.encode(DUMP_DATA, message)
    data = b"".join(each["data"] for each in (*input, *output))
    for part in ("input", "output"):
        message[part] = [{key: value for key, value in each.items() if key != "data"} for each in message[part]]
    header = wire.encode(DUMP_DATA, message)
    return struct.pack("<Q", len(header)) + header + data


def new_overflow(model: int, stream: int, task: int) -> bytes:
    """A record with magic number."""
    fields = struct.pack("<11Q", model, stream, task, 0, 0, 0, 0x1000, 0x2000, 3, 4, 5)
    return struct.pack("<6I", 0x5A5A5A5A, 2, 1, 0, 0, len(fields)) + fields


def old_overflow(model: int, stream: int, task: int) -> bytes:
    """A record of 2,048 bytes with a block for each unit."""
    core = struct.pack("<6Q", model, stream, task, 0, 0x1000, 0x2000)
    return (bytes(256) + core).ljust(2048, b"\0")
