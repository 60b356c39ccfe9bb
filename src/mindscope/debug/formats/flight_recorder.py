# SPDX-License-Identifier: Apache-2.0
"""Dumps of PyTorch's flight recorder: the last collectives of each rank, and where ranks differ.

A dump is a pickle of plain values; names of classes or functions in it are refused, so nothing of it runs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, cast

from mindscope.errors import FormatError
from mindscope.formats.plain_pickle import read_plain_pickle

_RANK = re.compile(r"(\d{1,9})(?:\.\w+)?$", re.ASCII)
_HEAD = 1 << 16
_MOST_MEMORY = 1 << 29
"""A ring buffer of 20,000 collectives with 30 lines of stack counts 0.4 GB, and takes half of that."""
MOST_TOGETHER = 1 << 28
"""Bytes that the collectives of all ranks may take: 1,000 of each of 1,000 ranks."""
_COLLECTIVE_BYTES, _OBJECT_BYTES, _CONTAINER_BYTES, _REFERENCE_BYTES = 260, 50, 50, 16
_SHARED = (
    *("group", "group_description", "operation", "input_sizes", "output_sizes", "input_dtypes", "output_dtypes"),
    *("state", "stack"),
)
_LONGEST_VERSION = 100
_EQUAL_SIZES = re.compile(
    r"all_?reduce|broadcast|all_?gather|reduce_?scatter|barrier|(?:^|[:_])reduce(?!_?scatter)", re.IGNORECASE | re.ASCII
)
"""Collectives whose sizes are the same on all ranks."""


class MismatchKind(str, Enum):
    """The kind of a difference between the entries of ranks for one collective."""

    TYPE = "type"
    SIZE = "size"
    DTYPE = "dtype"
    STATE = "state"
    """Some ranks completed it, or started it, and others did not."""
    MISSING = "missing"
    """A rank that has later entries of the group lacks it, or has none after earlier ones."""
    UNDECIDED = "undecided"
    """The ring buffer of a rank may have lost it."""

    def __str__(self) -> str:
        return self.value


class Collective(NamedTuple):
    """An entry of a flight recorder."""

    record: int
    sequence: int
    """Number in its process group."""
    is_p2p: bool
    group: str
    group_description: str
    operation: str
    """Name of the operation, such as ``nccl:all_reduce``."""
    input_sizes: tuple[tuple[int, ...], ...]
    output_sizes: tuple[tuple[int, ...], ...]
    input_dtypes: tuple[str, ...]
    output_dtypes: tuple[str, ...]
    state: str
    """``scheduled``, ``started`` or ``completed``."""
    created_ns: int
    stack: tuple[str, ...]
    """Source lines, innermost first."""


@dataclass(frozen=True, slots=True)
class FlightRecord:
    """The dump of one rank."""

    rank: int
    version: str
    collectives: Sequence[Collective]
    skipped: int
    """Entries of another form."""
    facts: Mapping[str, Any]
    """Configuration and state of the process groups, as the dump has them."""
    left: int = 0
    """Earlier entries that are left out, as if the ring buffer had been smaller."""

    @property
    def count(self) -> int:
        """Number of collectives in the dump."""
        return len(self.collectives) + self.left


class Mismatch(NamedTuple):
    """A collective on which ranks differ."""

    kind: MismatchKind
    group: str
    sequence: int
    values: Mapping[int, str]
    """Entry of each rank; empty where it has none."""


def is_flight_record(path: Path) -> bool:
    """Return whether a file is a pickle with collectives. Raises OSError."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(1)
        head += file.read(_HEAD) if head == b"\x80" else b""
    return head[:1] == b"\x80" and b"version" in head and (b"entries" in head or b"pg_config" in head)


def read_flight_record(path: Path, shared: SharedValues | None = None, ranks: int = 1) -> FlightRecord:
    """Return the dump of a rank, whose number ends the name of the file, as in ``nccl_trace_rank_3``.

    Args:
        path: of the file.
        shared: the values of dumps that were read before; this one takes a part of the memory that they leave.
        ranks: number of dumps that are still to be read, with this one.

    Raises:
        FormatError: no pickle of plain values, or one of other content.
        OSError: it can't be read.
    """
    shared = SharedValues() if shared is None else shared
    share = shared.left_bytes // max(ranks, 1)
    content: Any = read_plain_pickle(path, _MOST_MEMORY)
    if not isinstance(content, dict) or not {"entries", "pg_config"} & content.keys():
        raise FormatError(f"{path.name} has no entries, want a dump of the flight recorder")
    record = cast("dict[str, Any]", content)
    entries = record.get("entries")
    listed = cast("list[Any]", entries) if isinstance(entries, list) else []
    number = _RANK.search(path.name)
    facts = {str(key): value for key, value in record.items() if key not in ("entries", "version")}
    size = _weight(facts, share // 4)
    facts, share = (facts, share - size) if shared.take(size, share // 4) else ({}, share)
    collectives, skipped = _last_collectives(listed, shared, share)
    return FlightRecord(
        int(number[1]) if number else 0,
        str(record.get("version", ""))[:_LONGEST_VERSION],
        collectives,
        skipped,
        facts,
        len(listed) - len(collectives) - skipped,
    )


class SharedValues:
    """Texts and sizes of collectives: equal ones are one object in all dumps, as stacks of the same lines.

    ``left_bytes`` is the memory that further values may take, about.
    """

    def __init__(self, most_bytes: int = MOST_TOGETHER) -> None:
        self.left_bytes = most_bytes
        self._values: dict[Any, Any] = {}

    def take(self, size: int, most: int) -> bool:
        """Take memory for a value, if it has at most this size."""
        if size > min(most, self.left_bytes):
            return False
        self.left_bytes -= size
        return True

    def keep(self, collective: Collective, most: int) -> Collective | None:
        """Return the collective of shared values; None if it takes more memory than ``most`` bytes."""
        values = {name: getattr(collective, name) for name in _SHARED}
        size = _COLLECTIVE_BYTES + sum(_weight(value, most) for value in values.values() if value not in self._values)
        if not self.take(size, most):
            return None
        return collective._replace(**{name: self._values.setdefault(each, each) for name, each in values.items()})


def _last_collectives(entries: Sequence[Any], shared: SharedValues, most: int) -> tuple[list[Collective], int]:
    """Return the last collectives by time, as many as fit, and how many entries after them have another form."""
    kept: list[Collective] = []
    skipped = 0
    least = shared.left_bytes - most
    for entry in reversed(entries):
        collective = _collective(entry)
        if collective is None:
            skipped += 1
            continue
        collective = shared.keep(collective, shared.left_bytes - least)
        if collective is None:
            break
        kept.append(collective)
    return kept[::-1], skipped


def _weight(value: Any, most: int) -> int:
    """Estimate the bytes of a plain value; the count ends above ``most``, so also of values that hold themselves."""
    total, waiting = 0, [value]
    while waiting and total <= most:
        each = waiting.pop()
        total += _OBJECT_BYTES
        if isinstance(each, str | bytes):
            total += len(each)
        elif isinstance(each, dict | list | tuple | set):
            inner = cast("dict[Any, Any] | list[Any]", each)
            total += _CONTAINER_BYTES + _REFERENCE_BYTES * len(inner)
            if total <= most:
                waiting += inner
                waiting += inner.values() if isinstance(inner, dict) else ()
    return total


def _collective(entry: Any) -> Collective | None:
    if not isinstance(entry, dict):
        return None
    values = cast("dict[str, Any]", entry)
    try:
        is_p2p = bool(values.get("is_p2p", False))
        group = values.get("process_group") or ("", "")
        sequence = values.get("p2p_seq_id" if is_p2p else "collective_seq_id", values.get("seq_id", 0))
        return Collective(
            int(values.get("record_id", 0)),
            int(sequence),
            is_p2p,
            str(group[0]),
            str(group[1]),
            str(values.get("profiling_name", "")),
            _sizes(values.get("input_sizes")),
            _sizes(values.get("output_sizes")),
            tuple(str(each) for each in values.get("input_dtypes") or ()),
            tuple(str(each) for each in values.get("output_dtypes") or ()),
            str(values.get("state", "")),
            int(values.get("time_created_ns") or 0),
            tuple(f"{each['filename']}:{each['line']} {each['name']}" for each in values.get("frames") or ()),
        )
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
        return None


def _sizes(value: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(size) for size in each) for each in value or ())


def find_mismatches(records: Sequence[FlightRecord]) -> list[Mismatch]:
    """Find the collectives in which ranks differ, by group and number; each rank numbers point-to-point by itself.

    Only ranks that have entries of a group are compared in it, each from the first that was not left out on.
    """
    by_group: dict[str, dict[int, dict[int, Collective]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        for collective in record.collectives:
            if not collective.is_p2p:
                by_group[collective.group][record.rank][collective.sequence] = collective
    cut = {record.rank for record in records if record.left}
    return [
        mismatch
        for group, ranks in sorted(by_group.items())
        if len(ranks) > 1
        for mismatch in _mismatches(group, ranks, cut)
    ]


def _mismatches(group: str, ranks: Mapping[int, Mapping[int, Collective]], cut: set[int]) -> Iterator[Mismatch]:
    firsts = {rank: min(entries) for rank, entries in ranks.items()}
    for sequence in sorted({number for entries in ranks.values() for number in entries}):
        compared = {
            rank: entries
            for rank, entries in ranks.items()
            if sequence in entries or not (rank in cut and sequence < firsts[rank])
        }
        if len(compared) > 1:
            yield from _compared(group, sequence, compared, firsts)


def _compared(
    group: str, sequence: int, ranks: Mapping[int, Mapping[int, Collective]], firsts: Mapping[int, int]
) -> list[Mismatch]:
    entries = {rank: own[sequence] for rank, own in ranks.items() if sequence in own}
    absent = [rank for rank in ranks if rank not in entries]
    if absent:
        is_lost = all(sequence < firsts[rank] for rank in absent)
        kind = MismatchKind.UNDECIDED if is_lost else MismatchKind.MISSING
        values = {rank: entries[rank].operation if rank in entries else "" for rank in sorted(ranks)}
        return [Mismatch(kind, group, sequence, values)]
    operations = {rank: entry.operation for rank, entry in entries.items()}
    if len(set(operations.values())) > 1:
        return [Mismatch(MismatchKind.TYPE, group, sequence, operations)]
    mismatches: list[Mismatch] = []
    if _EQUAL_SIZES.search(next(iter(operations.values()))):
        sizes = {rank: f"{entry.input_sizes} -> {entry.output_sizes}" for rank, entry in entries.items()}
        mismatches += _differing(MismatchKind.SIZE, group, sequence, sizes)
    dtypes = {rank: f"{entry.input_dtypes} -> {entry.output_dtypes}" for rank, entry in entries.items()}
    mismatches += _differing(MismatchKind.DTYPE, group, sequence, dtypes)
    states = {rank: entry.state for rank, entry in entries.items()}
    return mismatches + _differing(MismatchKind.STATE, group, sequence, states)


def _differing(kind: MismatchKind, group: str, sequence: int, values: dict[int, str]) -> list[Mismatch]:
    return [Mismatch(kind, group, sequence, values)] if len(set(values.values())) > 1 else []
