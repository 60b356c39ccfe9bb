# SPDX-License-Identifier: Apache-2.0
"""Losses that were computed before, in an append-only file of their own key.

The key is a hash of everything that decides a loss: the checkpoints and the way to the directions, the data, the model,
the mode of normalization, the dtype. So a landscape continues after a kill, and a finer grid of the same plane takes
the points that it shares.

    file:    8 bytes "MSLOSS01", 32 bytes key, records
    record:  float64 a, float64 b, float64 loss, uint32 CRC-32 of these 24 bytes      (little endian, 28 bytes)

A record that is torn or damaged counts as not computed. One process writes at a time, by a lock; another one with the
same key reads what is there.
"""

from __future__ import annotations

import fcntl
import logging
import os
import struct
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.blocks import blocks
from mindscope.landscape.plane import Points

_LOG = logging.getLogger("mindscope")
_MAGIC = b"MSLOSS01"
_HEADER = len(_MAGIC) + 32
_NUMBERS = struct.Struct("<3d")
_RECORD = struct.Struct("<3dI")


def content_key(*parts: str | bytes | NDArray[Any]) -> str:
    """Return a hash of texts, bytes and arrays (with dtype and shape), in order; 64 hexadecimal digits."""
    found = sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            found.update(f"array {part.dtype.str} {part.shape} ".encode())
            flat = part.reshape(-1)
            for block in blocks(len(flat)):
                found.update(np.ascontiguousarray(flat[block]).tobytes())
        else:
            data = part.encode() if isinstance(part, str) else part
            found.update(f"{type(part).__name__} {len(data)} ".encode() + data)
    return found.hexdigest()


class LossCache:
    """The losses of one key. A context manager, which holds the lock.

    Args:
        directory: where the file is or will be.
        key: see ``content_key``.

    Full disks and other errors of the file are logged once; the computation continues without it.
    """

    def __init__(self, directory: Path, key: str) -> None:
        self.path = directory / f"landscape_{key[:16]}.losses"
        self._key = bytes.fromhex(key)
        self._known: dict[tuple[float, float], float] = {}
        self._file: int | None = None
        """File descriptor, if this process writes."""

    def __enter__(self) -> LossCache:
        try:
            self._open()
        except OSError as error:
            self._give_up(error)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def known(self, points: Points) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return whether each loss is known, and the losses; the others are NaN."""
        keys = [_point_key(*point) for point in points.tolist()]
        losses = np.array([self._known.get(key, np.nan) for key in keys], np.float64)
        return np.array([key in self._known for key in keys], np.bool_), losses

    def add(self, points: Points, losses: Sequence[float]) -> None:
        """Append losses, which stay if the process is killed after this."""
        data = b""
        for (a, b), loss in zip(points.tolist(), losses, strict=True):
            self._known[_point_key(a, b)] = loss
            numbers = _NUMBERS.pack(a, b, loss)
            data += numbers + struct.pack("<I", crc32(numbers))
        if self._file is None:
            return
        try:
            _write_all(self._file, data)
        except OSError as error:
            self._give_up(error)

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        self._file = file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._read(file)
            self._close()
            _LOG.warning("%s: another process writes it; new losses of this process are not kept", self.path)
            return
        end = self._read(file)
        if end < _HEADER:
            end = 0
        os.ftruncate(file, end)
        os.lseek(file, end, os.SEEK_SET)
        if not end:
            _write_all(file, _MAGIC + self._key)

    def _read(self, file: int) -> int:
        """Take the losses of the file; returns the end of the last whole record, 0 for a file of another kind."""
        data = self.path.read_bytes() if os.fstat(file).st_size else b""
        if data[:_HEADER] != _MAGIC + self._key:
            return 0
        count = (len(data) - _HEADER) // _RECORD.size
        body = memoryview(data)[_HEADER : _HEADER + count * _RECORD.size]
        for index, (a, b, loss, checksum) in enumerate(_RECORD.iter_unpack(body)):
            if crc32(body[index * _RECORD.size :][: _NUMBERS.size]) == checksum:
                self._known[_point_key(a, b)] = loss
        return _HEADER + len(body)

    def _give_up(self, error: OSError) -> None:
        _LOG.warning("%s: %s; the landscape is computed, but can't continue after a stop", self.path, error)
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _point_key(a: float, b: float) -> tuple[float, float]:
    """Return coordinates without the last digits, which another order of the sums can change."""
    return float(f"{a:.9g}"), float(f"{b:.9g}")


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
