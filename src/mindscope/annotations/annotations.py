# SPDX-License-Identifier: Apache-2.0
"""The annotations of one base directory."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from mindscope.annotations.checksums import checksum_of, first_damaged
from mindscope.annotations.connections import Connections
from mindscope.annotations.copies import COPY_EVERY_S
from mindscope.annotations.database import COLUMNS, DamagedDatabaseError, is_restored, moved_aside
from mindscope.annotations.records import AnnotationChange, Contents, Fields, Record
from mindscope.errors import AnnotationError, StaleRecordError
from mindscope.reasons import Reason, reason_of

FILE_NAME = "annotations.sqlite3"
T = TypeVar("T")


class Annotations:
    """User data about the runs below ``base``, in a file of ``workspace``. Safe for threads and processes.

    Each record has a checksum, and the file has a daily copy. A damaged file is moved aside; a new file gets the intact
    records of both, and ``problem`` reports this as long as the damaged file exists.
    If the workspace is read-only, existing data is still readable, ``problem`` gives the reason, and the next change
    retries.
    """

    def __init__(self, workspace: Path, base: str) -> None:
        self.path = workspace / FILE_NAME
        self._base = base
        self._connections = Connections(self.path)
        self._unreadable: Reason | None = None  # why the last read failed
        self._is_changed = False  # this object changed the file since its last copy

    @property
    def problem(self) -> Reason | None:
        """A problem to show to users: why the file can't be changed, or where a damaged file was moved."""
        refusal = self._connections.refusal or self._unreadable
        if refusal is not None:
            return refusal
        aside = moved_aside(self.path)
        if not aside:
            return None
        code = "annotations_restored" if is_restored(aside[-1]) else "annotations_recreated"
        return Reason(code, path=str(aside[-1]))

    @property
    def is_writable(self) -> bool:
        """Whether the file was writable when it was last opened."""
        return self._connections.refusal is None and self._unreadable is None

    def revision(self) -> int:
        """Return the revision of the contents, 0 before the first change."""
        return self._look(self._revision, 0)

    def read(self) -> Contents:
        """Return all contents; empty if the file can't be read, see ``problem``."""
        contents = self._look(self._contents, Contents())
        if contents.revision:
            self._copy()
        return contents

    def write(self, changes: Sequence[AnnotationChange]) -> Contents:
        """Make all changes or none; returns the resulting records.

        Raises StaleRecordError with the newer records as its arguments if another client changed one of them,
        AnnotationError with the reason if the file can't be written.
        """
        if self._connections.refusal is not None:
            self._connections.forget()  # retry: the file may be writable now
        written = self._connections.use(lambda connection: self._write(connection, changes))
        self._unreadable = None
        self._is_changed = True
        self._copy()
        return written

    def close(self) -> None:
        """Close the file in all threads; no thread may use it during the call. Copies changes first."""
        if self._is_changed:
            self._is_changed = False
            self._copy(0.0)
        self._connections.close()

    def _copy(self, age_s: float = COPY_EVERY_S) -> None:
        with suppress(AnnotationError):  # the caller's request is done; the next use reports the problem
            self._connections.copy_when_due(age_s)

    def _look(self, see: Callable[[sqlite3.Connection], T], nothing: T) -> T:
        try:
            seen = self._connections.use(see)
        except AnnotationError as error:
            self._unreadable = reason_of(error)
            return nothing
        self._unreadable = None
        return seen

    def _write(self, connection: sqlite3.Connection, changes: Sequence[AnnotationChange]) -> Contents:
        if self._connections.refusal is not None:
            raise AnnotationError(self._connections.refusal)
        connection.execute("BEGIN IMMEDIATE")
        try:
            records = [self._record(connection, change.kind, change.key) for change in changes]
            stale = [
                record for record, change in zip(records, changes, strict=True) if record.version != change.version
            ]
            if stale:
                raise StaleRecordError(*stale)
            revision = self._revision(connection) + 1
            written = tuple(_changed(record, change, revision) for record, change in zip(records, changes, strict=True))
            self._store(connection, written, revision)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return Contents(revision, written)

    def _store(self, connection: sqlite3.Connection, records: Sequence[Record], revision: int) -> None:
        now = time.time()
        rows = [
            (self._base, record.kind, record.key, record.version, _to_text(record.fields), now) for record in records
        ]
        checked = [(*row, checksum_of(row)) for row in rows]
        connection.executemany(f"INSERT OR REPLACE INTO record ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", checked)
        connection.execute("INSERT OR REPLACE INTO revisions VALUES (?, ?)", (self._base, revision))

    def _contents(self, connection: sqlite3.Connection) -> Contents:
        connection.execute("BEGIN")  # so that revision and records are consistent
        try:
            revision = self._revision(connection)
            rows = connection.execute(
                "SELECT * FROM record WHERE base = ? AND fields IS NOT NULL", (self._base,)
            ).fetchall()
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return Contents(revision, tuple(_from_row(row) for row in rows))

    def _revision(self, connection: sqlite3.Connection) -> int:
        row = connection.execute("SELECT revision FROM revisions WHERE base = ?", (self._base,)).fetchone()
        return row[0] if row else 0

    def _record(self, connection: sqlite3.Connection, kind: str, key: str) -> Record:
        row = connection.execute(
            "SELECT * FROM record WHERE base = ? AND kind = ? AND key = ?",
            (self._base, kind, key),
        ).fetchone()
        return _from_row(row) if row else Record(kind, key, 0, None)


def _changed(record: Record, change: AnnotationChange, version: int) -> Record:
    fields = change.fields
    if change.is_partial and fields is not None:
        fields = {**(record.fields or {}), **fields}
    return Record(record.kind, record.key, version, fields)


def _to_text(fields: Fields | None) -> str | None:
    return None if fields is None else json.dumps(fields)


def _from_row(row: tuple[Any, ...]) -> Record:
    """Return a record from its row. Raises DamagedDatabaseError."""
    damaged = first_damaged([row])
    if damaged is not None:
        raise DamagedDatabaseError(damaged)
    _, kind, key, version, text, *_ = row
    return Record(kind, key, version, _from_text(text))


def _from_text(text: str | None) -> Fields | None:
    """Return the JSON object of a row; None for any other text, which mindscope never writes."""
    try:
        fields: Any = json.loads(text or "null")
    except ValueError:
        return None
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else None
