# SPDX-License-Identifier: Apache-2.0
"""Compares a file with what was read of it.

A program that appends only never changes what was read. A parallel download, ``rsync --inplace`` and mounts of object
stores write a file in any order: what was zeros or half a record is whole later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import FileIO

from mindscope.ingest.file_identity import ContentFingerprint, FileStat, Span

MAX_DAMAGED_BYTES = 8 << 20
"""Compare this many bytes with damage each time the file grows; compare more of them when it rests."""


def has_grown(before: FileStat | None, stat: FileStat) -> bool:
    """Return whether this is the same file with more bytes, as after an append."""
    return before is not None and stat.inode == before.inode and stat.size_bytes > before.size_bytes


def changed_spans(
    fingerprint: ContentFingerprint, file: FileIO, spans: Iterable[Span], size_bytes: int
) -> Sequence[Span]:
    """Return the spans whose bytes differ in ``file``.

    They are of ``spans``, or all if its first or last bytes differ.
    """
    differing = fingerprint.differing_ends(file)
    if not differing and size_bytes >= fingerprint.position:
        return fingerprint.changed(file, spans)
    return [  # a byte between the sampled words may differ at an end
        span
        for span in fingerprint.spans
        if any(span.start <= position < span.stop for position in differing) or fingerprint.changed(file, (span,))
    ]


class SpanChoice:
    """Chooses the spans to compare at each read of one file: all, unless the file only grew."""

    def __init__(self) -> None:
        self._next = 0  # in turn, one span each time that the file grew by one
        self._seen: int | None = None  # how many spans there were; None before the first growth

    def choose(
        self, spans: Sequence[Span], before: FileStat | None, stat: FileStat, *, is_due: bool
    ) -> tuple[Sequence[Span], bool]:
        """Return the spans to compare, and whether those with damage remain for the next read.

        Args:
            spans: of the file.
            before: stat at the last read; None if unknown.
            stat: stat of now.
            is_due: whether spans with damage remain from the last read.
        """
        if stat != before and not has_grown(before, stat):
            return spans, False
        damaged = [span for span in spans if span.is_damaged]
        if stat == before:
            return (damaged if is_due else ()), False
        is_much = sum(span.stop - span.start for span in damaged) > MAX_DAMAGED_BYTES
        return [*(() if is_much else damaged), *self._one_in_turn(spans)], is_much

    def _one_in_turn(self, spans: Sequence[Span]) -> Sequence[Span]:
        if self._seen is None or len(spans) <= self._seen:
            self._seen = self._seen or len(spans)
            return ()
        self._seen, self._next = len(spans), (self._next + 1) % len(spans)
        return spans[self._next : self._next + 1]
