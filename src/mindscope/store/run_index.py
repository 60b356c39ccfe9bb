# SPDX-License-Identifier: Apache-2.0
"""Index of the cached runs of one base directory: a file of records; the last record of a run is the valid one.

Records use the framing of event files, so that the reader detects truncation by a crash and later damage.

    {"format": .., "base": ..}                        the first record
    {"run": id, ..} newline [series, ..]              state of a run; see ``cache_codec.py``
    {"run": id} newline                               the run is gone
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindscope.formats.frames import FRAME_OVERHEAD, FrameReader, frame

FORMAT = 10
"""Increase it with every change of the file format or of how a scan assigns kinds; the reader ignores other formats."""
SLACK_BYTES = 4 << 20
"""Rewrite the file when outdated records exceed the valid ones by more than this."""
HEAD_BYTES = 1 << 16
"""Maximal length of the first record."""

State = tuple[dict[str, Any], bytes]
"""State of a run: everything except its series, and the series."""


class RunIndex:
    """The index of one base directory. Any process may read it; only one thread of one process may write it."""

    def __init__(self, path: Path, base: str, format: int | None = None) -> None:
        """``format`` of the records, by default ``FORMAT``."""
        self._path = path
        self._head = _payload({"format": FORMAT if format is None else format, "base": base}, b"")
        self._live: dict[str, int] = {}  # size of the valid record, by run
        self._live_bytes = 0  # total of these sizes
        self.size_bytes = 0
        """File size after the last read or write."""
        self.is_tidy = False
        """Whether the file is complete and not mostly outdated."""

    def load(self) -> dict[str, State]:
        """Return the state of each run; empty if the file is missing or has another format. Raises OSError."""
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
        """Rewrite the file with ``states``; the replacement is atomic for readers. Raises OSError."""
        records = {id: state_record(id, *state) for id, state in states.items()}
        unfinished = self._path.with_suffix(".part")
        unfinished.write_bytes(frame(self._head) + b"".join(records.values()))
        unfinished.replace(self._path)
        self._live = {id: len(record) for id, record in records.items()}
        self._live_bytes = sum(self._live.values())
        self.size_bytes = self._path.stat().st_size

    def put(self, id: str, record: bytes) -> None:
        """Append the state of a run. Raises OSError."""
        self.put_all({id: record})

    def put_all(self, records: Mapping[str, bytes]) -> None:
        """Append the states of runs. Raises OSError."""
        self._append(b"".join(records.values()))
        for id, record in records.items():
            self._count(id, len(record))
        if self._is_outdated():
            self.write(self.load())

    def remove(self, id: str) -> None:
        """Append a record that removes a run. Raises OSError."""
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
    """Return the base directory of an index; None if it can't be read."""
    try:
        with path.open("rb") as file:
            content = file.read(HEAD_BYTES)
        head = next((bytes(payload) for _, payload in FrameReader(path.name).records(content)), b"")
        return str(json.loads(head)["base"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def state_record(id: str, state: dict[str, Any], series: bytes) -> bytes:
    """Return the framed state of a run; an empty state means that the run is gone."""
    return frame(_payload({**state, "run": id}, series))


def _payload(state: dict[str, Any], series: bytes) -> bytes:
    return json.dumps(state, separators=(",", ":")).encode() + b"\n" + series
