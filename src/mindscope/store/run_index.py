# SPDX-License-Identifier: Apache-2.0
"""What is cached of the runs of one base directory: a file of records, the last one of a run counts.

Records are framed like those of an event file, so that one that was cut by a crash, or damaged since, is noticed.

    {"format": .., "base": ..}                        the first record
    {"run": id, ..} newline [series, ..]              state of a run; see ``saved.py``
    {"run": id} newline                               the run is gone
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindscope.formats.frames import FRAME_OVERHEAD, FrameReader, frame

FORMAT = 5
"""Raise it with every change of what is written; what has another one is not believed."""
SLACK_BYTES = 4 << 20
"""Outdated records may take so much more than those that count before the file is written anew."""
HEAD_BYTES = 1 << 16
"""The first record is not longer."""

State = tuple[dict[str, Any], bytes]
"""Of a run: everything but its series, and the series."""


class RunIndex:
    """The index of one base directory. Reading is for any process; writing for one, and for one thread at a time."""

    def __init__(self, path: Path, base: str) -> None:
        self._path = path
        self._head = _payload({"format": FORMAT, "base": base}, b"")
        self._live: dict[str, int] = {}  # size of the record that counts, by run
        self._live_bytes = 0  # of all those
        self.size_bytes = 0
        """Of the file, as it was read or written last."""
        self.is_tidy = False
        """Whether the file that was read is whole and not mostly outdated."""

    def load(self) -> dict[str, State]:
        """The state of each run; none when the file is missing or of another format. Raises OSError."""
        self._live, self._live_bytes = {}, 0
        content = self._path.read_bytes() if self._path.exists() else b""
        self.size_bytes = len(content)
        reader = FrameReader(self._path.name)
        records = reader.records(content)
        self.is_tidy = next((bytes(payload) for _, payload in records), b"") == self._head
        if not self.is_tidy:
            return {}
        states = dict[str, State]()
        for _, payload in records:
            text, _, series = bytes(payload).partition(b"\n")
            state = json.loads(text)
            states[state["run"]] = state, series
            self._count(state["run"], len(payload) + FRAME_OVERHEAD)
        for id in [id for id, (state, _) in states.items() if len(state) == 1]:
            del states[id]
            self._discount(id)
        self.is_tidy = reader.position == len(content) and not reader.damages and not self._is_outdated()
        return states

    @property
    def ids(self) -> set[str]:
        """The runs with a state."""
        return set(self._live)

    def write(self, states: Mapping[str, State]) -> None:
        """Start the file anew with ``states``; whoever reads it sees the old one or the new one. Raises OSError."""
        records = {id: state_record(id, *state) for id, state in states.items()}
        unfinished = self._path.with_suffix(".part")
        unfinished.write_bytes(frame(self._head) + b"".join(records.values()))
        unfinished.replace(self._path)
        self._live = {id: len(record) for id, record in records.items()}
        self._live_bytes = sum(self._live.values())
        self.size_bytes = self._path.stat().st_size

    def put(self, id: str, record: bytes) -> None:
        """Note the state of a run. Raises OSError."""
        self._append(record)
        self._count(id, len(record))
        if self._is_outdated():
            self.write(self.load())

    def remove(self, id: str) -> None:
        """Note that a run is gone. Raises OSError."""
        self._append(state_record(id, {}, b""))
        self._discount(id)

    def _count(self, id: str, size: int) -> None:
        self._discount(id)
        self._live[id] = size
        self._live_bytes += size

    def _discount(self, id: str) -> None:
        self._live_bytes -= self._live.pop(id, 0)

    def _is_outdated(self) -> bool:
        return self.size_bytes > 2 * self._live_bytes + SLACK_BYTES

    def _append(self, record: bytes) -> None:
        with self._path.open("ab", buffering=0) as file:
            file.write(record)
        self.size_bytes += len(record)


def read_base(path: Path) -> str | None:
    """The base directory that an index is for; None when it can't be told."""
    try:
        with path.open("rb") as file:
            content = file.read(HEAD_BYTES)
        head = next((bytes(payload) for _, payload in FrameReader(path.name).records(content)), b"")
        return str(json.loads(head)["base"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def state_record(id: str, state: dict[str, Any], series: bytes) -> bytes:
    """The framed state of a run; an empty one says that it is gone."""
    return frame(_payload({**state, "run": id}, series))


def _payload(state: dict[str, Any], series: bytes) -> bytes:
    return json.dumps(state, separators=(",", ":")).encode() + b"\n" + series
