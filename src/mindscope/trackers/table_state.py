# SPDX-License-Identifier: Apache-2.0
"""What readers of tables keep between reads: the position, the rows that are wrong, and what is not shown."""

from __future__ import annotations

import os
import time
import zlib
from typing import Any, BinaryIO

from mindscope.reasons import Reason
from mindscope.trackers.log import LogPath, LogReplacedError, LogState
from mindscope.types import Damage, DamageKind

SETTLED_S = 5.0
"""A last row without an end of line counts when nothing was written for so long."""
MOST_READ = 16 << 20
"""Bytes that one read parses, which bounds memory."""
_TAIL = 64
_MOST_DAMAGES, _MOST_NOTES = 1000, 100


def is_settled(modified_at: float) -> bool:
    """Return whether a file was last written long ago."""
    return time.time() - modified_at > SETTLED_S


def table_state(log: LogPath) -> LogState:
    """Return the state of a log; it changes once more when the file has settled."""
    stat = os.stat(log.path)  # noqa: PTH116 (ten thousand times)
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, int(is_settled(stat.st_mtime))


class RewrittenError(LogReplacedError):
    """Its own program wrote a log again from its beginning, such as for another column."""

    is_usual = True


def check_unchanged(file: BinaryIO, state: dict[str, Any], size: int) -> None:
    """Raise RewrittenError if the bytes before the position are other ones than before."""
    position = int(state.get("position", 0))
    if size < position:
        raise RewrittenError("file_exchanged")
    file.seek(0)
    if zlib.crc32(file.read(int(state.get("start", 0)))) != state.get("head", 0):
        raise RewrittenError("file_exchanged")
    tail = bytes.fromhex(state.get("tail", ""))
    file.seek(position - len(tail))
    if file.read(len(tail)) != tail or (state.get("is_open") and file.read(1) not in (b"", b"\n", b"\r")):
        raise RewrittenError("file_exchanged")


def note_position(file: BinaryIO, state: dict[str, Any], position: int, *, is_open: bool) -> None:
    """Keep the position, and the bytes before it."""
    file.seek(max(position - _TAIL, 0))
    state["tail"] = file.read(min(_TAIL, position)).hex()
    state["position"], state["is_open"] = position, is_open


def note_wrong_line(state: dict[str, Any], line: int, start: int, stop: int, why: str) -> None:
    """Keep that a line is not read; neighbors are one entry."""
    damages: list[list[Any]] = state.setdefault("damages", [])
    if damages and damages[-1][1] == line - 1 and damages[-1][4] == why:
        damages[-1][1], damages[-1][3] = line, stop
    elif len(damages) < _MOST_DAMAGES:
        damages.append([line, line, start, stop, why])


def leave_out(state: dict[str, Any], name: str, count: int = 1) -> None:
    """Count values that no page shows."""
    counts = state.setdefault("left_out", {})
    if name in counts or len(counts) < _MOST_NOTES:
        counts[name] = counts.get(name, 0) + count


def notes_of(state: dict[str, Any], *, has_times: bool) -> tuple[Reason, ...]:
    """Return what is not shown, and whether times are missing."""
    left = [Reason("tracker_left_out", what=name, count=count) for name, count in state.get("left_out", {}).items()]
    return (*(() if has_times else (Reason("table_without_times"),)), *left)


def damages_of(state: dict[str, Any], path: str) -> tuple[Damage, ...]:
    """Return the lines that are not read."""
    name = os.path.basename(path)  # noqa: PTH119
    return tuple(
        Damage(name, start, DamageKind.MESSAGE, Reason("table_lines_unread", first=first, last=last, why=why), stop)
        for first, last, start, stop, why in state.get("damages", ())
    )
