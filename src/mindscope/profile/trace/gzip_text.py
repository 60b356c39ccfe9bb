# SPDX-License-Identifier: Apache-2.0
"""Decompresses gzip block by block; what precedes damage is kept."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from gzip import BadGzipFile
from typing import Any

GZIP = b"\x1f\x8b"
"""The first bytes of such a file."""
_STEP = 1 << 18
"""Bytes that are decompressed at once where a block is damaged, then 128 times less, at last 1."""


class Unzip:
    """The state of decompression. Several members may follow each other.

    A file that breaks off, bytes that are damaged, a wrong checksum, and padding behind the last member end the text.
    """

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self.is_over = False
        """Damage or padding was met; no more text follows."""
        self._has_text = False

    def texts(self, block: bytes, most: int) -> Iterator[bytes]:
        """Yield the text of the next block of the file, in pieces of at most ``most`` bytes.

        Raises:
            BadGzipFile: the file does not begin as gzip.
        """
        while block and not self.is_over:
            before = self._stream.copy()
            try:
                text = self._stream.decompress(block, most)
            except zlib.error:
                yield from self._undamaged(before, block)
                return
            self._has_text = self._has_text or bool(text)
            yield text
            block = self._stream.unconsumed_tail
            if self._stream.eof:
                block, self._stream = self._stream.unused_data, zlib.decompressobj(wbits=31)

    def copy(self) -> Unzip:
        """Return a copy of the state, which goes its own way."""
        other = Unzip()
        other._stream, other.is_over, other._has_text = self._stream.copy(), self.is_over, self._has_text
        return other

    def _undamaged(self, stream: Any, block: bytes) -> Iterator[bytes]:
        """Yield the text before the damage in a block: a piece that meets it is lost, so pieces become smaller."""
        step = _STEP
        while block and step:
            before = stream.copy()
            try:
                text = stream.decompress(block, step)
            except zlib.error as error:
                if step == 1 and not self._has_text:
                    raise BadGzipFile(str(error)) from error
                stream, step = before, step // 128 if step > 128 else step - 1 and 1
                continue
            self._has_text = self._has_text or bool(text)
            yield text
            block = stream.unconsumed_tail
        self.is_over = True
