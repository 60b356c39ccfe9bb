# SPDX-License-Identifier: Apache-2.0
"""Reads the new data of the log of another tracker."""

from __future__ import annotations

import logging
import os
from dataclasses import replace

from mindscope.errors import FormatError
from mindscope.formats.time_range import TimeRange
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.ingest.tailer import BUDGET_BYTES
from mindscope.reasons import UNCODED, Reason, damage_reason, os_reason, reason_of, unforeseen_reason
from mindscope.store import FileFacts, RunStore
from mindscope.store.cache_codec import Json
from mindscope.store.chunk import ChunkDamagedError
from mindscope.trackers.log import LogReplacedError, LogState, NewRows
from mindscope.trackers.trackers import BY_DIALECT, as_path
from mindscope.types import Damage, DamageKind, DialectName

log = logging.getLogger(__name__)


class TrackerTailer:
    """Reads one log into a store, each time from its last position; the same as ``FileTailer`` for event files."""

    def __init__(self, facts: FileFacts, store: RunStore, dialect: DialectName, saved: Json = None) -> None:
        """``facts`` name the log; ``saved`` is the result of ``to_json`` from when ``store`` was saved."""
        self.scanned_bytes = 0
        self.has_more = False
        self.needs_restart = False
        self._tracker, self._log = BY_DIALECT[dialect], as_path(facts.path)
        self._store, self._facts = store, facts
        self._state: LogState | None = None
        self._progress: Json = None
        self._permanent_damages: tuple[Damage, ...] = ()
        self._was_read = False
        self._is_rewrite_usual = False
        if saved is None:
            self.ordinal = store.add_file(facts)
        else:
            self.ordinal = int(saved["ordinal"])
            self._facts = store.file(self.ordinal)
            self._state = None if saved["state"] is None else tuple(saved["state"])
            self._progress = saved["progress"]

    def to_json(self) -> Json:
        """Return the reading progress. The store must be saved together with it."""
        return {
            "ordinal": self.ordinal,
            "path": self._facts.path,
            "tracker": self._tracker.dialect.value,
            "state": None if self.has_more else self._state,
            "progress": self._progress,
        }

    @property
    def path(self) -> str:
        """The file or directory of the log."""
        return self._log.path

    def is_due(self, stat: os.stat_result) -> bool:
        """Return whether to read the log now."""
        try:
            return self.has_more or self._tracker.state(self._log) != self._state
        except OSError:
            return True

    def restart(self) -> None:
        """Read the log from its beginning next time. The caller must have removed its values from the store."""
        self._state = self._progress = None
        self.has_more = False
        self._permanent_damages = ()
        self._facts = FileFacts(self._facts.name, self._facts.path, self._facts.creation_number)

    def restart_rewritten(self) -> None:
        """Restart as ``restart``, and note that the log was replaced."""
        is_usual, self._is_rewrite_usual = self._is_rewrite_usual, False
        self.restart()
        if not is_usual:
            self._permanent_damages = (self._damage(DamageKind.SHRUNK, Reason("file_exchanged")),)

    def wait(self) -> None:
        """Read at the next call, after the older logs of the run: steps continue after theirs."""
        self.has_more = True

    def read(self, buffer_pool: ReadBufferPool, budget_bytes: int = BUDGET_BYTES) -> bool:
        """Read new data; returns whether the store changed. Reads nothing if it then ``needs_restart``."""
        version, self.needs_restart = self._store.version, False
        is_due, self.has_more = self.has_more, False
        try:
            state = self._tracker.state(self._log)
            if is_due or state != self._state:
                self._append(self._tracker.read(self._log, self._progress, budget_bytes, self._step_before()))
                self._state = state
        except FileNotFoundError:
            self._state = None  # deleted since it was found; the next discovery removes it
        except LogReplacedError as error:
            self.needs_restart, self._is_rewrite_usual = True, error.is_usual
        except OSError as error:
            self._state = None  # retry at the next read
            reason = reason_of(error)
            is_coded = reason.code != UNCODED
            self._mark_unreadable(reason if is_coded else Reason("file_not_readable", **os_reason(error)))
        except FormatError as error:
            self._mark_unreadable(damage_reason(error))
        except ChunkDamagedError:
            raise  # an error of the cache, not of this log
        except Exception as error:
            log.exception("%s could not be read", self._facts.path)
            self._mark_unreadable(unforeseen_reason(error))
        return self._store.version != version

    def _step_before(self) -> int | None:
        """Return the highest step of the older logs of the run."""
        older = [facts.last_step for facts in self._store.files if facts.key < self._facts.key]
        return max((step for step in older if step is not None), default=None)

    def _append(self, new: NewRows) -> None:
        facts, scanned = self._facts, new.scanned
        time_range = TimeRange.union(
            [TimeRange(facts.first_wall_time, facts.last_wall_time, facts.last_step), scanned.time_range]
        )
        self._facts = replace(
            facts,
            dialect=self._tracker.dialect,
            stopped_at=new.size_bytes if new.is_ended else None,
            size_bytes=new.size_bytes,
            modified_at=new.modified_at,
            read_bytes=new.read_bytes,
            records=facts.records + scanned.records,
            first_wall_time=time_range.first_wall_time,
            last_wall_time=time_range.last_wall_time,
            last_step=time_range.last_step,
            has_grown=facts.has_grown or (self._was_read and new.size_bytes > facts.size_bytes),
            run_name=new.name,
            notes=new.notes,
            damages=(*self._permanent_damages, *new.damages),
        )
        self.scanned_bytes += new.read_bytes - facts.read_bytes
        self.has_more, self._progress, self._was_read = new.has_more, new.progress, True
        if scanned.scalars or scanned.references:
            self._store.append(self.ordinal, scanned, self._facts)
        else:
            self._store.update_file(self.ordinal, self._facts)

    def _mark_unreadable(self, detail: Reason) -> None:
        kept = [damage for damage in self._facts.damages if damage.kind is not DamageKind.UNREADABLE]
        self._facts = replace(self._facts, damages=(*kept, self._damage(DamageKind.UNREADABLE, detail)))
        self._store.update_file(self.ordinal, self._facts)

    def _damage(self, kind: DamageKind, detail: Reason) -> Damage:
        return Damage(self._facts.name, self._facts.read_bytes, kind, detail)
