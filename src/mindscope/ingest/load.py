# SPDX-License-Identifier: Apache-2.0
"""One run: all its event files into one store."""

from __future__ import annotations

from mindscope.ingest.buffers import ReadBuffers
from mindscope.ingest.discover import EventFile, FoundRun
from mindscope.ingest.tail import BUDGET_BYTES, FileTail, read_buffers
from mindscope.store import RunStore
from mindscope.types import Kind


class RunLoader:
    """Keeps a store up to date with the files of a run. For one thread at a time."""

    def __init__(self, run: FoundRun, buffers: ReadBuffers | None = None) -> None:
        self._buffers = buffers or read_buffers()
        self.store = RunStore(run.id, run.path)
        self._kinds: dict[str, Kind] = {}
        self._tails: dict[str, FileTail] = {}  # by path, the oldest file first
        self.set_files(run.files)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the event files."""
        return tuple(self._tails)

    @property
    def has_more(self) -> bool:
        """Whether the last read stopped at its budget."""
        return any(tail.has_more for tail in self._tails.values())

    def set_files(self, files: tuple[EventFile, ...]) -> bool:
        """Take in files that are new and drop those that are gone; says whether there were any."""
        found = {file.path: file for file in files}
        gone = [path for path in self._tails if path not in found]
        for path in gone:
            self.store.remove_file(self._tails.pop(path).ordinal)
        added = [path for path in found if path not in self._tails]
        tails = {path: self._tails.get(path) or FileTail(file, self.store, self._kinds) for path, file in found.items()}
        self._tails = tails
        return bool(gone or added)

    def read(self, budget_bytes: int = BUDGET_BYTES) -> bool:
        """Read at most about ``budget_bytes`` of what grew in each file; says whether the store changed."""
        are_changed = [tail.read(self._buffers, budget_bytes) for tail in self._tails.values()]
        return any(are_changed)

    def read_all(self) -> bool:
        """Read all that grew; says whether the store changed."""
        is_changed = self.read()
        while self.has_more:
            self.read()
        return is_changed
