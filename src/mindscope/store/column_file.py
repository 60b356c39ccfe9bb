# SPDX-License-Identifier: Apache-2.0
"""Named columns in one file of a cache: a JSON header, then the columns, which are mapped into memory on opening.

byte 0   four bytes that say what it holds
     4   uint32: version of the layout
     8   uint64: length H of the header
    16   uint32: CRC-32 of the header
    20   H bytes of JSON, padded with spaces so that 20 + H is a multiple of 64
    then the columns, little endian, each padded to a multiple of 64
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mindscope.store.mapped_columns import mapped_file, release_pages

_ALIGNMENT = 64
_FRONT = 20
_SAMPLES, _SAMPLE = 64, 1024
"""Pieces of a column that are compared on each opening, and bytes of one; a small column is compared as a whole."""


class ColumnFileKind(NamedTuple):
    """The content of a file, and the version of its layout."""

    magic: bytes
    version: int


class OpenColumns(NamedTuple):
    """The header as it was saved, and the columns, read on access."""

    header: dict[str, Any]
    columns: dict[str, NDArray[Any]]


def save_columns(
    path: Path, kind: ColumnFileKind, key: str, header: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]
) -> None:
    """Write a file; ``key`` says what it was made of. Replaces the file at once. Raises OSError."""
    layout: dict[str, tuple[str, int, int]] = {}
    offset = 0
    for name, values in columns.items():
        layout[name] = (f"<{values.dtype.str[1:]}", offset, values.size)
        offset += _aligned(values.nbytes)
    checksum = _checksum(_little(values) for values in columns.values())
    sample = _checksum(piece for values in columns.values() for piece in _sampled(_little(values)))
    sums = {"checksum": checksum, "sample": sample}
    text = json.dumps({"key": key, "layout": layout, **sums, **header}, default=str).encode()
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            length = _aligned(_FRONT + len(text)) - _FRONT
            text = text.ljust(length)
            file.write(kind.magic + kind.version.to_bytes(4, "little") + length.to_bytes(8, "little"))
            file.write(crc32(text).to_bytes(4, "little") + text)
            for values in columns.values():
                file.write(_little(values).data)
                file.write(bytes(_aligned(values.nbytes) - values.nbytes))
                release_pages()
        os.replace(part, path)  # noqa: PTH105 (both are of the same directory)
    finally:
        part.unlink(missing_ok=True)


def open_columns(path: Path, kind: ColumnFileKind, key: str, is_checked: bool = False) -> OpenColumns | None:
    """Return the columns of a file; None if there is none of this kind, or if it was made of something else.

    The header and samples of the columns are compared with their checksums. ``is_checked``: reads all columns at once,
    and compares theirs.

    Raises:
        OSError: it can't be read.
        ValueError, KeyError, TypeError: it is damaged.
    """
    if not path.exists():
        return None
    with path.open("rb") as file:
        front = file.read(_FRONT)
        if front[:4] != kind.magic or int.from_bytes(front[4:8], "little") != kind.version:
            return None
        length = int.from_bytes(front[8:16], "little")
        if length > path.stat().st_size:
            raise ValueError(f"{path.name}: it is shorter than its header")
        text = file.read(length)
        if crc32(text) != int.from_bytes(front[16:20], "little"):
            raise ValueError(f"{path.name}: checksum of its header is another one")
        header: dict[str, Any] = json.loads(text)
    if header["key"] != key:
        return None
    layout: dict[str, tuple[str, int, int]] = header["layout"]
    is_empty = not any(count for _, _, count in layout.values())
    data = np.empty(0, np.uint8) if is_empty else mapped_file(path)[_FRONT + length :]
    columns = {
        name: np.ndarray(count, dtype, cast("Any", data), offset) for name, (dtype, offset, count) in layout.items()
    }
    if _checksum(piece for values in columns.values() for piece in _sampled(values)) != header["sample"]:
        raise ValueError(f"{path.name}: checksum of samples of its columns is not {header['sample']}")
    if is_checked and _checksum(columns.values()) != header["checksum"]:
        raise ValueError(f"{path.name}: checksum of its columns is not {header['checksum']}")
    release_pages()
    return OpenColumns(header, columns)


def _checksum(columns: Iterable[NDArray[Any]]) -> int:
    found = 0
    for values in columns:
        found = crc32(values.data, found)
    return found


def _sampled(values: NDArray[Any]) -> Iterator[NDArray[np.uint8]]:
    """Yield the pieces of a column at equal distances, the first and the last bytes among them."""
    data = values.view(np.uint8)
    if len(data) <= _SAMPLES * _SAMPLE:
        yield data
        return
    for begin in np.linspace(0, len(data) - _SAMPLE, _SAMPLES).astype(np.int64).tolist():
        yield data[begin : begin + _SAMPLE]


def _little(values: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(values).astype(f"<{values.dtype.str[1:]}", copy=False)


def _aligned(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT
