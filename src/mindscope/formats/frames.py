# SPDX-License-Identifier: Apache-2.0
"""Records in a file: found, checked, and found again after damage. The layout is drawn in ``_frames.pyx``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mindscope.formats import _frames
from mindscope.formats._frames import crc32c, frame
from mindscope.formats._scan import EventColumns
from mindscope.reasons import Reason
from mindscope.types import Damage, DamageKind

__all__ = ["FRAME_OVERHEAD", "FrameReader", "crc32c", "frame"]

FRAME_HEADER = 12
"""Bytes of a record before its payload."""
FRAME_OVERHEAD = 16
"""Bytes of a record beside its payload."""

Walked = tuple[int, int, int]
"""Where a walk over intact records stopped, why (a status of ``_frames``), and how many bytes complete the next."""


class FrameReader:
    """Reads the records of one file that may still grow, as its bytes are handed over.

    Hand over bytes that begin at ``position``; whole records come out, and ``position`` moves behind them. The tail of
    a record that is not whole yet stays: hand it over again, with more behind it. Damage is skipped and noted.
    """

    def __init__(self, file: str, position: int = 0, damages: Sequence[Damage] = ()) -> None:
        """Go on at ``position``, where another reader stopped, with the ``damages`` that it had noted."""
        self.file = file
        self.position: int = position
        """The byte of the file up to which everything is settled; read on from here."""
        self.needed = FRAME_OVERHEAD
        """How many bytes from ``position`` on would bring at least one step further."""
        is_lost = bool(damages) and damages[-1].resumed_at is None
        self._settled: list[Damage] = list(damages[:-1] if is_lost else damages)
        self._lost_since: Damage | None = damages[-1] if is_lost else None  # no intact record since

    @property
    def damages(self) -> tuple[Damage, ...]:
        """All damage met so far in file order; the last one has no ``resumed_at`` while nothing intact follows it."""
        return (*self._settled, self._lost_since) if self._lost_since else tuple(self._settled)

    @property
    def is_resyncing(self) -> bool:
        """Whether a length was damaged and no intact record was found since."""
        return self._lost_since is not None

    def go_on(self, other: FrameReader) -> None:
        """Be where ``other`` is, which began at our position; nothing may have been lost there."""
        self.position, self.needed = other.position, other.needed
        self._settled += other._settled
        self._lost_since = other._lost_since

    def records(self, chunk: bytes | bytearray | memoryview) -> Iterator[tuple[int, memoryview]]:
        """The whole intact records of ``chunk``, as payload offset in the file and payload.

        The payloads are views of ``chunk``. Exhaust the iterator before the next call.
        """
        view = memoryview(chunk)
        base = self.position
        spans: list[tuple[int, int]] = []

        def walk(at: int) -> Walked:
            spans[:], at, status, needed = _frames.scan_frames(view, at)
            return at, status, needed

        for _ in self._walk(view, walk):
            for start, end in spans:
                yield base + start, view[start:end]

    def scan(self, chunk: bytes | bytearray | memoryview, columns: EventColumns) -> None:
        """Take the whole intact records of ``chunk`` into ``columns``, which is much faster than one by one."""
        view = memoryview(chunk)
        base = self.position
        for _ in self._walk(view, lambda at: columns.scan(view, at, base)):
            pass

    def _walk(self, view: memoryview, walk: Callable[[int], Walked]) -> Iterator[None]:
        """Go over ``view`` with ``walk``, which passes over intact records; once for each intact stretch."""
        base = self.position
        at: int = 0
        while True:
            if self._lost_since is not None:
                at, found = _frames.find_frame(view, at)
                self.position = base + at
                if not found:
                    self.needed = self._needed_at(view, at)
                    return
                self._settle(self.position)
            at, status, self.needed = walk(at)
            self.position = base + at
            yield
            if status == _frames.WHOLE:
                return
            at += self._note_damage(view, at, status)
            self.position = base + at

    def _needed_at(self, view: memoryview, at: int) -> int:
        if len(view) - at < FRAME_OVERHEAD:
            return FRAME_OVERHEAD
        return _frames.read_frame_header(view, at)[0] + FRAME_OVERHEAD

    def _settle(self, resumed_at: int) -> None:
        lost = self._lost_since
        if lost is not None:
            self._settled.append(Damage(lost.file, lost.offset, lost.kind, lost.detail, resumed_at))
            self._lost_since = None

    def _note_damage(self, view: memoryview, at: int, status: int) -> int:
        """Note the damaged record at ``at``; returns how many bytes to go on by."""
        length, stored, computed = _frames.read_frame_header(view, at)
        offset = self.position
        if status == _frames.BAD_LENGTH:
            detail = Reason("length_checksum", got=f"{stored:#010x}", want=f"{computed:#010x}")
            self._lost_since = Damage(self.file, offset, DamageKind.LENGTH_CHECKSUM, detail)
            return 1
        payload = view[at + 12 : at + 12 + length]
        stored = int.from_bytes(view[at + 12 + length : at + 16 + length], "little")
        detail = Reason("payload_checksum", got=f"{stored:#010x}", want=f"{masked_crc32c(payload):#010x}")
        after = offset + length + FRAME_OVERHEAD
        self._settled.append(Damage(self.file, offset, DamageKind.PAYLOAD_CHECKSUM, detail, after))
        return length + FRAME_OVERHEAD


def find_record(chunk: bytes | bytearray | memoryview) -> int | None:
    """Where in ``chunk`` a whole record stands whose checksums hold; None without any.

    It need not be a record of the file: the payload of a longer one may hold any bytes.
    """
    place, is_whole = _frames.find_frame(chunk, 0)
    return place if is_whole else None


def masked_crc32c(data: bytes | memoryview) -> int:
    """The checksum as it stands in a record: CRC-32C rotated right by 15 bits, plus a constant."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
