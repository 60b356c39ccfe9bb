# SPDX-License-Identifier: Apache-2.0
"""Remembers which object each file of a mirror is, for the next process: a table of SQLite beside the mirror."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Lock

from mindscope.storage.storage import StoredObject

_TABLE = "CREATE TABLE IF NOT EXISTS objects (path TEXT PRIMARY KEY, size INTEGER, modified_at REAL, etag TEXT)"


class MirrorState:
    """The objects whose files are whole, by path. For any thread; other processes may write it too.

    It is a cache: what is lost of it is fetched again.
    """

    def __init__(self, file: Path) -> None:
        """Opens the table, or makes a new one if there is none or it is damaged."""
        try:
            self._database = _opened(file)
        except sqlite3.DatabaseError:
            file.unlink(missing_ok=True)
            self._database = _opened(file)
        self._lock = Lock()
        self._version = -1
        self._objects: dict[str, StoredObject] = {}

    def objects(self) -> dict[str, StoredObject]:
        """Return all objects as they are now."""
        with self._lock:
            (version,) = self._database.execute("PRAGMA data_version").fetchone()
            if version != self._version:  # another process wrote
                rows = self._database.execute("SELECT path, size, modified_at, etag FROM objects")
                self._objects = {row[0]: StoredObject(*row) for row in rows}
                self._version = version
            return dict(self._objects)

    def object(self, path: str) -> StoredObject | None:
        """Return the object of a path as of the last ``objects``; None if its file is not whole."""
        with self._lock:
            return self._objects.get(path)

    def set(self, object: StoredObject) -> None:
        """Note that the file of an object is whole."""
        with self._lock:
            self._database.execute("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?)", object)
            self._objects[object.path] = object

    def forget(self, path: str) -> None:
        """Note that there is no file of a path."""
        with self._lock:
            self._database.execute("DELETE FROM objects WHERE path = ?", (path,))
            self._objects.pop(path, None)

    def close(self) -> None:
        """Close the table."""
        with self._lock:
            self._database.close()


def _opened(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        database.execute("PRAGMA synchronous = OFF")  # a cache: no wait for the disk
        database.execute(_TABLE)
        with closing(database.execute("SELECT path, size, modified_at, etag FROM objects LIMIT 1")) as rows:
            rows.fetchall()
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database
