# SPDX-License-Identifier: Apache-2.0
"""Connections to the annotations file, one per thread; they recover if it is damaged, moved or not writable."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock, local
from typing import TypeVar
from weakref import finalize

from mindscope.annotations import database
from mindscope.annotations.copies import COPY_EVERY_S, is_copy_due, restore, write_copy
from mindscope.annotations.database import DamagedDatabaseError
from mindscope.errors import AnnotationError
from mindscope.reasons import Reason, os_reason, reason_of

log = logging.getLogger(__name__)

T = TypeVar("T")


class Connections:
    """Connections to the file at ``path``. Thread-safe.

    ``refusal`` is the reason why the file was not writable when it was last opened; None if it was.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.refusal: Reason | None = None
        self._mine = local()  # .connection, .file (identity of the open file) and .can_write
        self._opening = Lock()  # guards the two below, and ``refusal``
        self._all: list[sqlite3.Connection] = []  # of all threads
        finalize(self, _close_all, self._all)  # in case close() is not called
        self._is_checked = False  # every page of the file was read once

    def use(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """Call ``act`` with the connection of this thread; returns its result. Moves a damaged file aside first.

        ``act`` must not leave a transaction open. Raises AnnotationError if the file can't be read.
        """
        try:
            return act(self._connection())
        except DamagedDatabaseError as error:
            damage: Exception = error
        except sqlite3.Error as error:
            if not database.is_damage(error):
                raise AnnotationError(self._reason(database.why_refused(error), error)) from error
            damage = error
        self._replace(damage)
        try:
            return act(self._connection())
        except (DamagedDatabaseError, sqlite3.Error) as error:
            raise AnnotationError(self._reason("annotations_unusable", error)) from error

    def copy_when_due(self, age_s: float = COPY_EVERY_S) -> None:
        """Copy the file if its copy is older than ``age_s``. Raises AnnotationError."""
        if self.refusal is None and is_copy_due(self.path, time.time(), age_s):
            self.use(lambda connection: write_copy(self.path, connection))

    def forget(self) -> None:
        """Close the connection of this thread, if it has one: the next use reopens the file."""
        connection: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if connection is not None:
            self._mine.connection = None
            with self._opening:
                self._all.remove(connection)
                connection.close()

    def close(self) -> None:
        """Close the connections of all threads; none may be in use."""
        with self._opening:
            _close_all(self._all)
            self._mine = local()

    def _connection(self) -> sqlite3.Connection:
        known: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if known is not None and self._is_as_others_see_it():
            return known
        self.forget()
        with self._opening:
            connection = self._open()
            self._all.append(connection)
            self._mine.can_write = self.refusal is None
        self._mine.connection, self._mine.file = connection, _identity(self.path)
        return connection

    def _is_as_others_see_it(self) -> bool:
        """Return whether the file is still the one that this thread opened, and no thread found it writable since."""
        return self._mine.file == _identity(self.path) and (self._mine.can_write or self.refusal is not None)

    def _open(self) -> sqlite3.Connection:
        if not self._is_checked:
            database.check(self.path)
        self._is_checked = True
        try:
            connection = database.open_database(self.path)
        except (AnnotationError, OSError) as error:
            self.refusal = _refusal(self.path, error)
            return self._open_read_only(self.refusal)
        self.refusal = None
        return connection

    def _open_read_only(self, refusal: Reason) -> sqlite3.Connection:
        """Open the existing data read-only; fails if a full disk left an empty file."""
        if self.path.is_file():
            with suppress(AnnotationError):
                return database.open_read_only(self.path)
        raise AnnotationError(refusal)

    def _replace(self, damage: Exception) -> None:
        self.forget()
        try:
            aside = database.replace(self.path, restore)
        except OSError as error:
            reason = Reason("annotations_stuck", path=str(self.path), damage=str(damage), **os_reason(error))
            raise AnnotationError(reason) from error
        if aside is not None:
            what = "restored" if database.is_restored(aside) else "a new one is begun"
            log.warning("%s is damaged (%s): moved to %s, %s", self.path, damage, aside.name, what)

    def _reason(self, code: str, error: Exception) -> Reason:
        return Reason(code, path=str(self.path), reason=str(error), errno=database.errno_of(error))


def _close_all(connections: list[sqlite3.Connection]) -> None:
    for connection in connections:
        connection.close()
    connections.clear()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _refusal(path: Path, error: Exception) -> Reason:
    if isinstance(error, OSError):
        return Reason("annotations_read_only", path=str(path), **os_reason(error))
    return reason_of(error)
