# SPDX-License-Identifier: Apache-2.0
"""Reads the new records of a framed log into rows, from where the last call ended."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

from mindscope.errors import FormatError
from mindscope.formats.regular_files import file_head
from mindscope.reasons import Reason, damage_reason
from mindscope.trackers.log import Directory, FoundLog, Json, LogPath, LogReplacedError, NewRows
from mindscope.trackers.record_log import BLOCK, HEAD, DamagedPiece, records
from mindscope.trackers.rows import RowCollector
from mindscope.types import Damage, DamageKind, DialectName

_TAIL = 64
_MOST_DAMAGES = 1000


class FramedLog(NamedTuple):
    """The head of a format: its first four bytes and its number."""

    magic: bytes
    number: int

    def begins(self, path: str) -> bool:
        """Return whether a file begins with this head, or is empty since it was only just made. Raises OSError."""
        head = file_head(path, HEAD.size)
        return not head or (len(head) == HEAD.size and HEAD.unpack(head)[:2] == (self.magic, self.number))


def found_log(dialect: DialectName, directory: Directory, file: re.Match[str], named: re.Match[str] | None) -> FoundLog:
    """Return the log in the directory of a run.

    Args:
        dialect: of the log.
        directory: of the run.
        file: the name of the log; its first group is the id of the run.
        named: the name of the directory; its first two groups are the day and the time of the beginning. None for
            another name: such a run is joined with no other one.
    """
    path, id = directory.path, file[1]
    log = LogPath(directory.join(file[0]))
    if named is None:
        return FoundLog(dialect, log, path, path, path)
    created = int(named[1] + named[2])
    group = f"{os.path.dirname(path)}\n{id}"  # noqa: PTH120
    return FoundLog(dialect, log, path, path, f"{dialect}\n{id}\n{created}", group, created)


class RecordRows(ABC):
    """Makes rows of records. ``state`` is JSON, and kept between calls."""

    def __init__(self, state: dict[str, Any], before: int | None) -> None:
        """``before`` is the highest step of the parts of the run before this log."""
        self.rows = RowCollector(state.get("tags", ()))
        self.state = state
        self.state.setdefault("step", 0 if before is None else before + 1)
        self._before = before

    @abstractmethod
    def add(self, payload: bytes, start: int, length: int) -> None:
        """Add the values of the record in ``length`` bytes from ``start`` on. Raises FormatError."""

    def finish(self) -> None:  # noqa: B027
        """Add what is held back for records that follow; called before the rows are taken."""

    def leave_out(self, name: str) -> None:
        """Count something that no page shows."""
        counts = self.state.setdefault("left_out", {})
        if name in counts or len(counts) < 100:
            counts[name] = counts.get(name, 0) + 1

    def numbered(self, step: int) -> int:
        """Return the step of the run for a step of the log.

        A part that begins again at 0 goes on behind the parts before it.
        """
        if "offset" not in self.state:
            self.state["offset"] = self._before + 1 if step == 0 and self._before is not None else 0
        self.state["row"] = step
        return step + int(self.state["offset"])


def read_framed(
    format: FramedLog, path: str, progress: Json, budget: int, before: int | None,
    make: Callable[[dict[str, Any], int | None], RecordRows],
) -> NewRows:  # fmt: skip
    """Read on in a log. ``make`` makes the reader of records of a state. Raises as ``Tracker.read``."""
    state: dict[str, Any] = dict(progress or {})
    position = int(state.get("position", HEAD.size))
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        stat = os.fstat(file.fileno())
        _check_unchanged(file, state, position, stat.st_size)
        reader = make(state, before)
        while True:
            file.seek(position)
            data = file.read(min(budget, max(stat.st_size - position, 0)))
            is_end = position + len(data) >= stat.st_size
            stop = _read_records(reader, data, position, path, is_end=is_end)
            if stop > position or is_end:
                break
            budget *= 4  # a record is longer than the budget
        reader.finish()
        position = max(stop, position)
        file.seek(max(position - _TAIL, 0))
        state["tail"] = file.read(min(_TAIL, position)).hex()
    state["position"], state["tags"] = position, reader.rows.numbers.tags
    return NewRows(
        reader.rows.take(), state, stat.st_size, position, stat.st_mtime, not is_end, bool(state.get("ended")),
        str(state.get("name", "")), _notes(state), tuple(map(_damage, state.get("damages", ()))),
    )  # fmt: skip


def _check_unchanged(file: Any, state: dict[str, Any], position: int, size: int) -> None:
    tail = bytes.fromhex(state.get("tail", ""))
    file.seek(max(position - len(tail), 0))
    if (HEAD.size < position > size) or (tail and file.read(len(tail)) != tail):
        raise LogReplacedError("file_exchanged")


def _read_records(reader: RecordRows, data: bytes, position: int, path: str, *, is_end: bool) -> int:
    """Add the records in ``data``; returns the byte after the last one."""
    stop = position
    damages = reader.state.setdefault("damages", [])
    for record in records(data, position, is_end=is_end):
        stop = record.stop
        if isinstance(record, DamagedPiece):
            if stop % BLOCK == 0 and len(damages) < _MOST_DAMAGES:  # else the last block may still be written
                damages.append([os.path.basename(path), record.start, record.stop])  # noqa: PTH119
            elif stop % BLOCK:
                return record.start
            continue
        reader.rows.records += 1
        try:
            reader.add(record.payload, record.start, record.stop - record.start)
        except Exception as error:  # of a damaged message
            if len(damages) < _MOST_DAMAGES:
                why = str(damage_reason(_format_error(error)))
                damages.append([os.path.basename(path), record.start, record.stop, why])  # noqa: PTH119
    return stop


def _format_error(error: Exception) -> FormatError:
    return error if isinstance(error, FormatError) else FormatError(f"{type(error).__name__}: {error}")


def _damage(saved: list[Any]) -> Damage:
    name, start, stop, *detail = saved
    if detail:
        return Damage(name, start, DamageKind.MESSAGE, Reason("tracker_record_unread", why=detail[0]), stop)
    return Damage(name, start, DamageKind.PAYLOAD_CHECKSUM, Reason("payload_checksum"), stop)


def _notes(state: dict[str, Any]) -> tuple[Reason, ...]:
    left = [Reason("tracker_left_out", what=name, count=count) for name, count in state.get("left_out", {}).items()]
    joined = [Reason("tracker_joined", step=state["offset"])] if state.get("offset") else []
    return (*joined, *left)
