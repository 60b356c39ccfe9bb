# SPDX-License-Identifier: Apache-2.0
"""The run list. Summarizes a run only after a change, and sends a client only the runs that are new to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from threading import Lock

from mindscope.analysis.ranks import Rank, find_ranks
from mindscope.ingest import Catalog, UnreadablePath
from mindscope.ingest.file_names import readable
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.runs.schema import RunContent, RunsHead, RunState, RunSummary, UnreadEntry
from mindscope.store import RunStore


@dataclass(frozen=True, slots=True)
class _Line:
    """A run as it was last sent."""

    store: RunStore
    version: int  # of the store
    rank: Rank | None
    is_live: bool  # it ends without a change of the store
    text: str  # its RunSummary as JSON
    changed_at: int  # the count of the list at the last change of the run

    def is_of(self, store: RunStore, rank: Rank | None, now: float) -> bool:
        is_same = self.store is store and self.version == store.version and self.rank == rank
        return is_same and (not self.is_live or store.state(now) == RunState.LIVE.value)


class RunList:
    """The runs of ``catalog`` in its order. For any thread; ``clock`` gives the wall time.

    A cursor is ``token-count``: the token of this list, and its number of changes.
    """

    def __init__(self, catalog: Catalog, clock: Callable[[], float] = time.time) -> None:
        self._catalog = catalog
        self._clock = clock
        self._token = token_hex(4)
        self._lock = Lock()  # guards all below
        self._count = 0
        self._runs: Mapping[str, RunStore] | None = None  # the snapshot of ``_ranks``
        self._ranks: dict[str, Rank] = {}
        self._lines: dict[str, _Line] = {}  # by run id, in the order of the catalog
        self._gone: dict[str, int] = {}  # removed runs, with the count at their removal
        self._unread: tuple[UnreadablePath, ...] = ()
        self._unread_at = 0  # the count at their last change

    def answer(self, since: str | None) -> str:
        """Return a RunsAnswer as JSON: the changes since the cursor; all runs without a cursor of this list."""
        with self._lock:
            version = self._catalog.version  # read before the runs, so that a concurrent change is not missed
            self._renew()
            known = self._count_of(since)
            head = RunsHead(
                version=version,
                cursor=f"{self._token}-{self._count}",
                is_whole=known is None,
                gone=[id for id, at in self._gone.items() if known is not None and at > known],
                unread=self._unread_entries() if known is None or self._unread_at > known else None,
            )
            runs = [line.text for line in self._lines.values() if known is None or line.changed_at > known]
        return f'{head.model_dump_json()[:-1]},"runs":[{",".join(runs)}]}}'

    def _count_of(self, since: str | None) -> int | None:
        """Return the number of changes in a cursor; None if the cursor is not of this list."""
        token, _, count = (since or "").partition("-")
        if token != self._token or not (count.isascii() and count.isdigit()) or len(count) > len(str(self._count)):
            return None
        return int(count) if int(count) <= self._count else None

    def _renew(self) -> None:
        runs, now, count = self._catalog.runs, self._clock(), self._count + 1
        unread = self._catalog.unreadable
        gone: set[str] = set()
        if runs is not self._runs:
            gone = self._lines.keys() - runs.keys()
            self._runs, self._ranks = runs, find_ranks(runs)
        lines = {id: self._line(id, store, now, count) for id, store in runs.items()}
        if unread != self._unread:
            self._unread, self._unread_at = unread, count
        if gone or self._unread_at == count or any(line.changed_at == count for line in lines.values()):
            self._count, self._lines = count, lines
            self._gone = {id: at for id, at in self._gone.items() if id not in lines} | dict.fromkeys(gone, count)

    def _unread_entries(self) -> list[UnreadEntry]:
        return [
            UnreadEntry(path=each.path, kind=each.kind, detail=ReasonEntry.of(each.reason), remedy=each.reason.remedy)
            for each in self._unread
        ]

    def _line(self, id: str, store: RunStore, now: float, count: int) -> _Line:
        known, rank = self._lines.get(id), self._ranks.get(id)
        if known is not None and known.is_of(store, rank, now):
            return known
        version = store.version  # read before the summary, as above
        summary = summarize_run(store, now, rank)
        return _Line(store, version, rank, summary.state is RunState.LIVE, summary.model_dump_json(), count)


def summarize_run(store: RunStore, now: float, rank: Rank | None) -> RunSummary:
    """Return a run as a line of the list."""
    return RunSummary(
        id=store.id,
        name=store.name,
        path=readable(str(store.path)),
        state=RunState(store.state(now)),
        files=len(store.files),
        size_bytes=store.size_bytes,
        first_wall_time=finite(store.first_wall_time),
        last_wall_time=finite(store.written_at),
        last_step=store.last_step,
        tags=store.tag_counts(),
        contents=[RunContent(kind=each.kind, name=each.name, count=each.count) for each in store.contents],
        damages=len(store.damages),
        dropped=store.dropped,
        dialects=list(store.dialects),
        notes=[ReasonEntry.of(note) for note in store.notes],
        rank_of=None if rank is None else rank.group,
        rank=None if rank is None else rank.number,
    )
