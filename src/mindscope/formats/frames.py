# SPDX-License-Identifier: Apache-2.0
"""Reads records of a file, checks them, and resumes after damage. ``_frames.pyx`` draws the layout."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, takewhile
from typing import NamedTuple

from mindscope.formats import _frames
from mindscope.formats._frames import crc32c, frame
from mindscope.formats._scan import EventColumns
from mindscope.reasons import Reason
from mindscope.types import Damage, DamageKind

__all__ = ["FRAME_OVERHEAD", "FrameReader", "crc32c", "frame", "frame_footer", "frame_header"]

FRAME_HEADER = 12
"""Bytes of a record before its payload."""
FRAME_OVERHEAD = FRAME_HEADER + 4
"""Bytes of a record without its payload."""

Walked = tuple[int, int, int]
"""Position where a scan of intact records stopped, a status of ``_frames``, and the bytes that complete the next
record.
"""

UNKNOWN_END = 1 << 62
"""File size when the reader sees only a part of the file: no record length exceeds it."""
MAX_CLAIMS = 16
"""Limit of remembered claims; only a crafted file has more."""


MAX_WAITS = 64
"""Limit of waits for long records after one damage. The reader must read each one whole; it skips later ones."""
LONG_RECORD_BYTES = 1 << 29
"""Longer records are not held in memory. Nor does the reader wait for them where it searches for records: there, any
bytes may look like a header."""
MAX_RECORD_BYTES = 1 << 31
"""Limit of a record: no program reads longer messages."""
MAX_WASTED_BYTES = 1 << 28
"""Limit of damaged payload bytes to search for other records, plus 64 for each byte of the file. Only a crafted file
exceeds it; the reader then trusts the length of a damaged record."""


def frame_header(size: int) -> bytes:
    """Return the bytes of a record before a payload of ``size`` bytes."""
    length = struct.pack("<Q", size)
    return length + frame_footer(crc32c(length))


def frame_footer(checksum: int) -> bytes:
    """Return the masked checksum of bytes whose CRC-32C is ``checksum``, as after a payload."""
    return struct.pack("<I", ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF)


class Claim(NamedTuple):
    """A correct length checksum at byte ``offset`` of a record that ends at ``end``, beyond the end of the file."""

    offset: int
    end: int


class FrameReader:
    """Reads the records of one file, which may still grow, from chunks that the caller passes.

    Pass bytes that begin at ``position``; the reader returns whole records and moves ``position`` past them. An
    incomplete record at the end stays: pass it again, with more bytes. The reader notes damage and skips it: it resumes
    at the next position after the damaged header that has two correct checksums, or at the end of the damaged record if
    a header begins there. An incomplete record at the end of a file becomes damage when whole records follow inside it.
    """

    def __init__(self, file: str, position: int = 0, damages: Sequence[Damage] = ()) -> None:
        """Continue at ``position``, where another reader stopped, with the ``damages`` that it noted."""
        self.file = file
        self.position: int = position
        """The byte of the file up to which all records are final; read on from here."""
        self.ahead: int = position
        """Read on from here when passing ``end``; it is past the bytes already searched, see ``rewind``."""
        self.needed = FRAME_OVERHEAD
        """Number of bytes from ``ahead`` on that allow at least one more step."""
        is_lost = bool(damages) and damages[-1].resumed_at is None
        self._settled: list[Damage] = list(damages[:-1] if is_lost else damages)
        self._lost_since: Damage | None = damages[-1] if is_lost else None  # no intact record since
        self._wait_count = 0  # waits for records longer than a chunk, since the last intact record
        self._wasted = 0  # bytes of damaged payloads so far
        self._claims: list[Claim] = []  # found since the last intact record; no whole record follows them yet

    @property
    def damages(self) -> tuple[Damage, ...]:
        """All damage so far in file order; the last one has no ``resumed_at`` until an intact record follows it."""
        return (*self._settled, self._lost_since) if self._lost_since else tuple(self._settled)

    @property
    def lost_since(self) -> Damage | None:
        """The last damage, if no intact record follows it."""
        return self._lost_since

    def sections_since(self, position: int) -> Iterator[tuple[int, int, bool]]:
        """Yield start, stop and "is damage" of each section of bytes from ``position`` to that of the reader."""
        newest_first = chain((self._lost_since,) if self._lost_since else (), reversed(self._settled))
        recent = list(takewhile(lambda damage: (damage.resumed_at or self.position) > position, newest_first))
        for damage in reversed(recent):
            if position < damage.offset:
                yield position, damage.offset, False
            start, position = max(position, damage.offset), min(damage.resumed_at or self.position, self.position)
            yield start, position, True
        if position < self.position:
            yield position, self.position, False

    @property
    def is_resyncing(self) -> bool:
        """Whether the reader searches for an intact record after a damaged one, or after one beyond the file end."""
        return self._lost_since is not None or bool(self._claims)

    def continue_from(self, other: FrameReader) -> None:
        """Take over the state of ``other``, which began at our position; this reader must have no open damage."""
        self.position, self.ahead, self.needed = other.position, other.ahead, other.needed
        self._settled += other._settled
        self._lost_since, self._claims = other._lost_since, other._claims

    def rewind(self, end: int) -> None:
        """Go back to a record that may be whole now, before reading a file that now ends at byte ``end``."""
        for number, claim in enumerate(self._claims):
            if claim.end <= end:
                self._claims = self._claims[:number]
                size = claim.end - claim.offset
                self._pause(claim.offset, size if size <= MAX_RECORD_BYTES else FRAME_OVERHEAD)
                return

    def records(
        self, chunk: bytes | bytearray | memoryview, end: int | None = None
    ) -> Iterator[tuple[int, memoryview]]:
        """Yield the whole intact records of ``chunk``, as payload offset in the file and payload.

        The payloads are views of ``chunk``. Exhaust the iterator before the next call. ``end`` is the current size of
        the file: then the chunk must begin at ``ahead``. If ``end`` is None, the file ends with the chunk.
        """
        view = memoryview(chunk)
        base = self.ahead
        spans: list[tuple[int, int]] = []

        def walk(at: int) -> Walked:
            spans[:], at, status, needed = _frames.scan_frames(view, at)
            return at, status, needed

        for _ in self._walk(view, walk, end):
            for start, stop in spans:
                yield base + start, view[start:stop]

    def scan(self, chunk: bytes | bytearray | memoryview, columns: EventColumns, end: int | None = None) -> None:
        """Append the whole intact records of ``chunk`` to ``columns``, which is much faster than one by one."""
        view = memoryview(chunk)
        base = self.ahead
        for _ in self._walk(view, lambda at: columns.scan(view, at, base), end):
            pass

    def _walk(self, view: memoryview, walk: Callable[[int], Walked], end: int | None) -> Iterator[None]:
        """Read ``view`` with ``walk``, which reads intact records; yields once for each intact section."""
        base = self.ahead
        known_end = base + len(view) if end is None else end
        at: int | None = 0
        while at is not None:
            if self.is_resyncing and (at := self._search(view, at, base, known_end)) is None:
                break
            at, status, needed = walk(at)
            self._pause(base + at, needed)
            yield
            if status == _frames.WHOLE and MAX_RECORD_BYTES < needed <= known_end - base - at:
                at = self._note_too_long(base + at) - base
            elif status == _frames.WHOLE:
                at = self._note_claim(view, at, base, known_end)
            else:
                at = self._note_damage(view, at, status, base, known_end)
        if end is None and self._claims:  # the next chunk begins at ``position``, as this one did
            first = self._claims[0]
            self._claims = []
            self._pause(first.offset, first.end - first.offset)

    def _pause(self, ahead: int, needed: int) -> None:
        """Mark everything before ``ahead`` as final, unless an earlier record may still become whole."""
        self.ahead, self.needed = ahead, needed
        self.position = self._claims[0].offset if self._claims else ahead

    def _note_claim(self, view: memoryview, at: int, base: int, end: int) -> int | None:
        """Return the position to continue the search if the record at ``at`` exceeds the end of the file.

        The view cuts the record.

        None if it does not exceed it, or if more bytes are needed to decide.
        """
        if base + at + self.needed <= end or len(view) - at < FRAME_HEADER:
            return None
        self._claims = [Claim(base + at, base + at + self.needed)]
        return at + FRAME_HEADER

    def _search(self, view: memoryview, at: int, base: int, end: int) -> int | None:
        """Return the next intact record, which ends the search; None if the view has none."""
        while True:
            at, is_whole = _frames.find_frame(view, at)
            if is_whole:
                self._settle(base + at, end)
                return at
            if len(view) - at < FRAME_HEADER:
                self._pause(base + at, FRAME_OVERHEAD)
                return None
            needed = _frames.read_frame_header(view, at)[0] + FRAME_OVERHEAD
            if base + at + needed <= end and self._wait_count < MAX_WAITS and needed <= LONG_RECORD_BYTES:
                self._wait_count += 1
                self._pause(base + at, needed)
                return None
            if base + at + needed > end and len(self._claims) < MAX_CLAIMS:
                self._claims.append(Claim(base + at, base + at + needed))
            at += 1

    def _note_too_long(self, offset: int) -> int:
        """Note the record at ``offset`` as damage; returns where to search for others."""
        reason = Reason("record_too_long", size=self.needed - FRAME_OVERHEAD, most=MAX_RECORD_BYTES)
        self._lost_since = Damage(self.file, offset, DamageKind.TOO_LONG, reason)
        return offset + FRAME_HEADER

    def note_wrong_payload(self, stored: bytes, computed: bytes, ending: memoryview, size: int) -> None:
        """Note the record at ``ahead``, which the caller has read, as damage, and continue after it or inside it.

        ``stored`` and ``computed`` are the checksums of its payload; ``ending`` has its last ``size`` bytes, and the
        header after it if there is one. The reader must not be resyncing.
        """
        damage = Damage(self.file, self.ahead, DamageKind.PAYLOAD_CHECKSUM, _checksum_reason(stored, computed))
        self._pause(self._pass_over(damage, self.ahead + self.needed, ending, size), FRAME_OVERHEAD)

    def _settle(self, resumed_at: int, end: int) -> None:
        """Note the searched bytes up to ``resumed_at`` as damage."""
        lost = self._lost_since
        if lost is None:
            claim = self._claims[0]
            detail = Reason("record_torn", end=claim.end, size=end)
            lost = Damage(self.file, claim.offset, DamageKind.TRUNCATED, detail)
        self._settled.append(replace(lost, resumed_at=resumed_at))
        self._lost_since, self._claims, self._wait_count = None, [], 0
        self._pause(resumed_at, FRAME_OVERHEAD)

    def _note_damage(self, view: memoryview, at: int, status: int, base: int, end: int) -> int | None:
        """Note the damaged record at ``at``; returns where to continue, None if more bytes are needed to decide."""
        length, stored, computed = _frames.read_frame_header(view, at)
        if status == _frames.BAD_LENGTH:
            detail = Reason("length_checksum", got=f"{stored:#010x}", want=f"{computed:#010x}")
            self._lost_since = Damage(self.file, base + at, DamageKind.LENGTH_CHECKSUM, detail)
            return at + 1
        stop = at + length + FRAME_OVERHEAD
        if len(view) < stop + FRAME_HEADER and base + stop + FRAME_HEADER <= end:
            self._pause(base + at, length + FRAME_OVERHEAD + FRAME_HEADER)
            return None
        damage = Damage(self.file, base + at, DamageKind.PAYLOAD_CHECKSUM, _payload_reason(view, at, stop))
        return self._pass_over(damage, base + stop, view[at + FRAME_HEADER :], length + 4) - base

    def _pass_over(self, damage: Damage, stop: int, view: memoryview, size: int) -> int:
        """Note a record whose length says that it ends at byte ``stop`` of the file; returns where to continue.

        ``view`` has ``size`` bytes of it up to its end, and what follows it.
        """
        self._wasted += stop - damage.offset - FRAME_OVERHEAD
        is_excessive = self._wasted > MAX_WASTED_BYTES + 64 * damage.offset
        if is_excessive or _is_end(view, size):
            self._settled.append(replace(damage, resumed_at=stop))
            self._pause(stop, FRAME_OVERHEAD)
            return stop
        self._lost_since = damage
        return damage.offset + FRAME_HEADER


def _payload_reason(view: memoryview, at: int, stop: int) -> Reason:
    return _checksum_reason(bytes(view[stop - 4 : stop]), frame_footer(crc32c(view[at + FRAME_HEADER : stop - 4])))


def _checksum_reason(stored: bytes, computed: bytes) -> Reason:
    got, want = (f"{int.from_bytes(checksum, 'little'):#010x}" for checksum in (stored, computed))
    return Reason("payload_checksum", got=got, want=want)


def _is_end(view: memoryview, stop: int) -> bool:
    """Return whether a damaged record ends at ``stop`` of ``view``, so that the next one begins there.

    ``view`` begins inside it.

    False if a whole record ends at the same byte: then the damaged record was cut, and others were appended. A record
    inside a payload ends before the checksum of that payload.
    """
    return _frames.is_header(view, stop) and not _frames.ends_with_frame(view[:stop], 0)


def find_record(chunk: bytes | bytearray | memoryview) -> int | None:
    """Return the position in ``chunk`` of a whole record with correct checksums; None if it has none.

    It need not be a record of the file: the payload of a longer one may hold any bytes.
    """
    position, is_whole = _frames.find_frame(chunk, 0)
    return position if is_whole else None


def masked_crc32c(data: bytes | memoryview) -> int:
    """Return the checksum in the form that a record stores: CRC-32C rotated right by 15 bits, plus a constant."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
