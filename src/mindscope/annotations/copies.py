# SPDX-License-Identifier: Apache-2.0
"""The daily copy of the annotations, and the restoration from that copy and a damaged file."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from mindscope.annotations import database
from mindscope.annotations.checksums import is_intact
from mindscope.annotations.database import DamagedDatabaseError

log = logging.getLogger(__name__)

COPY_EVERY_S = 24 * 3600.0
REVISION_GAP = 1 << 20
"""Added to the revision after a restoration: a page may still hold versions of lost records."""


def copy_path(path: Path) -> Path:
    """Return the path of the copy."""
    return path.with_name(f"{path.stem}.copy{path.suffix}")


def is_copy_due(path: Path, now: float, age_s: float = COPY_EVERY_S) -> bool:
    """Return whether the copy is missing, or older than ``age_s``.

    A time of more than a day in the future counts too: a clock was wrong.
    """
    try:
        age = now - copy_path(path).stat().st_mtime
    except OSError:
        return True
    return age >= age_s or age < -COPY_EVERY_S


def write_copy(path: Path, connection: sqlite3.Connection) -> None:
    """Copy all data of ``connection``. On failure, logs a warning and keeps the older copy.

    Raises DamagedDatabaseError, and then keeps the older copy for the restoration.
    """
    database.require_intact(connection)
    unfinished = path.with_name(f"{path.stem}.copy-{os.getpid()}.part")
    unfinished.unlink(missing_ok=True)
    try:
        connection.execute("VACUUM INTO ?", (str(unfinished),))
        _sync(unfinished)
        unfinished.replace(copy_path(path))
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, sqlite3.Error) and database.is_damage(error):
            raise DamagedDatabaseError(str(error)) from error
        log.warning("%s: no copy could be made: %s", path, error)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def restore(path: Path) -> Path | None:
    """Make a file next to ``path`` with the records of the copy and the newer intact ones in ``path``.

    None if there are no records. Only reads ``path``. Raises OSError if it can't write.
    """
    restored = path.with_name(f"{path.stem}.restored-{os.getpid()}.part")
    restored.unlink(missing_ok=True)
    if _is_usable(copy_path(path)):
        shutil.copyfile(copy_path(path), restored)
    with closing(database.connect(restored, "rwc")) as connection:
        connection.executescript(database.SCHEMA)
        connection.execute("BEGIN")
        for row in _intact_rows(path):
            connection.execute(
                "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (base, kind, key) DO UPDATE SET "
                "version = excluded.version, fields = excluded.fields, changed_at = excluded.changed_at, "
                "checksum = excluded.checksum WHERE excluded.version > record.version",
                row,
            )
        connection.execute(
            "INSERT OR REPLACE INTO revisions SELECT base, ? + max(version) FROM record GROUP BY base", (REVISION_GAP,)
        )
        (count,) = connection.execute("SELECT count(*) FROM record").fetchone()
        connection.execute("COMMIT")
    if count:
        _sync(restored)
        return restored
    restored.unlink()
    return None


def _is_usable(copy: Path) -> bool:
    if not copy.is_file():
        return False
    try:
        database.check(copy)
        with closing(database.connect(copy, "ro")) as connection:
            (format,) = connection.execute("PRAGMA user_version").fetchone()
    except (DamagedDatabaseError, sqlite3.Error) as error:
        log.warning("%s can't be used: %s", copy, error)
        return False
    return format == database.FORMAT


def _intact_rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the intact rows of a damaged file. Reads from both ends, because a broken page stops the scan."""
    for direction in ("ASC", "DESC"):
        with suppress(sqlite3.Error, OSError), closing(database.connect(path, "ro")) as connection:
            order = ", ".join(f"{name} {direction}" for name in ("base", "kind", "key"))
            for row in connection.execute(f"SELECT {database.COLUMNS} FROM record ORDER BY {order}"):
                if is_intact(row):
                    yield row


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
