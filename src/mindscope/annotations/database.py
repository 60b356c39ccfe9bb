# SPDX-License-Identifier: Apache-2.0
"""Opens and checks the SQLite file of the annotations, and moves it aside if it is damaged."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from mindscope.annotations.checksums import add_checksums, first_damaged
from mindscope.errors import AnnotationError
from mindscope.network_mounts import shared_type
from mindscope.reasons import Reason

BUSY_S = 10.0
"""Seconds that a change waits for another process that holds the write lock."""
BUSY_PAUSE_S = 0.01
BUSY = "EBUSY"
RESTORED = "-restored"
FORMAT = 2
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS revisions (base TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record (
    base TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
    version INTEGER NOT NULL, fields TEXT, changed_at REAL NOT NULL, checksum INTEGER,
    PRIMARY KEY (base, kind, key)
) WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
"""
COLUMNS = "base, kind, key, version, fields, changed_at, checksum"
COMPANIONS = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps next to the database."""


class DamagedDatabaseError(Exception):
    """The file is not a database, or its pages are inconsistent."""


def open_database(path: Path) -> sqlite3.Connection:
    """Return a writable connection; only one thread may use it at a time.

    Raises DamagedDatabaseError; AnnotationError if the file is not writable or has a later format; OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = connect(path, "rwc")
    try:
        format = _known_format(path, connection)
        _set_journal(connection, "delete" if shared_type(path) else "wal")
        if format < FORMAT:
            _update(connection)
        connection.execute("PRAGMA synchronous = FULL")  # users' data must survive a power failure
        _require_writable(connection)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise _as_ours(path, error) from error
        raise
    return connection


def open_read_only(path: Path) -> sqlite3.Connection:
    """Return a read-only connection. Raises DamagedDatabaseError; AnnotationError if the file can't be read."""
    failure: sqlite3.DatabaseError | None = None
    for mode in ("ro", "ro&immutable=1"):  # in a read-only folder, SQLite can't create its shared-memory file
        connection = connect(path, mode)
        try:
            _known_format(path, connection)
            connection.execute("SELECT count(*) FROM record").fetchone()
        except BaseException as error:
            connection.close()
            if not isinstance(error, sqlite3.DatabaseError):
                raise
            failure = error
        else:
            return connection
    raise _as_ours(path, failure or sqlite3.OperationalError("can't be opened"))


def check(path: Path) -> None:
    """Read every page and every record of the file, if there is one. Raises DamagedDatabaseError."""
    if not path.exists():
        return
    try:
        with closing(connect(path, "ro")) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise DamagedDatabaseError(verdict)
            require_intact(connection)
    except sqlite3.OperationalError:
        return  # the file is busy or not writable, which is not damage
    except sqlite3.DatabaseError as error:
        raise DamagedDatabaseError(str(error)) from error


def require_intact(connection: sqlite3.Connection) -> None:
    """Raises DamagedDatabaseError if a record does not match its checksum."""
    damaged = first_damaged(connection.execute("SELECT * FROM record"))
    if damaged is not None:
        raise DamagedDatabaseError(damaged)


def replace(path: Path, restore: Callable[[Path], Path | None]) -> Path | None:
    """Rename a damaged file after a second check, and put the result of ``restore`` in its place, if there is one.

    Returns its new path; None if another process has already replaced it. Raises OSError if the folder is read-only.
    """
    with _locked(path.with_name(path.name + ".lock")):
        try:
            check(path)
        except DamagedDatabaseError:
            restored = restore(path)
            return _exchange(path, restored)
    return None


def _exchange(path: Path, restored: Path | None) -> Path:
    """Exchange the files. The new name marks a restored file. With ``restored``, ``path`` exists at any moment."""
    mark = "" if restored is None else RESTORED
    aside = path.with_name(f"{path.stem}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}{mark}{path.suffix}")
    if restored is None:
        path.rename(aside)
    else:
        shutil.copy2(path, aside)
    for companion in COMPANIONS:
        part = Path(f"{path}{companion}")
        if part.exists():
            part.rename(f"{aside}{companion}")
    if restored is not None:
        restored.replace(path)
    return aside


def is_restored(aside: Path) -> bool:
    """Return whether the intact records of this damaged file and of the copy were restored."""
    return aside.stem.endswith(RESTORED)


def moved_aside(path: Path) -> list[Path]:
    """Return the damaged files next to ``path``, oldest first."""
    return sorted(path.parent.glob(f"{path.stem}.damaged-*{path.suffix}"))


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means that the file is damaged, not busy, full or read-only."""
    text = str(error)
    return isinstance(error, sqlite3.DatabaseError) and any(
        sign in text for sign in ("malformed", "not a database", "corrupt")
    )


def why_refused(error: Exception) -> str:
    """Return the reason code for a failed write or read."""
    return "annotations_busy" if errno_of(error) in ("", BUSY) else "annotations_read_only"


def errno_of(error: Exception) -> str:
    """Return the errno name for an SQLite error, such as ENOSPC; "" for other errors."""
    signs = {"is full": "ENOSPC", "readonly": "EROFS", "disk I/O": "EIO", "unable to open": "ENOENT", "locked": BUSY}
    return next((name for sign, name in signs.items() if sign in str(error)), "")


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Return a plain SQLite connection; ``mode`` as in SQLite URIs."""
    address = f"file:{quote(os.fsencode(path))}?mode={mode}"
    # Only one thread uses it, but another thread closes it when the viewer stops.
    return sqlite3.connect(address, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=True)


def _update(connection: sqlite3.Connection) -> None:
    """Create the tables in a new file, or upgrade an earlier format. Safe if two processes call it at once."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (format,) = connection.execute("PRAGMA user_version").fetchone()
        if format == 1:
            add_checksums(connection)
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _known_format(path: Path, connection: sqlite3.Connection) -> int:
    """Return the format of the file, 0 for a new one. Raises AnnotationError for a format of a later mindscope."""
    (format,) = connection.execute("PRAGMA user_version").fetchone()
    if format > FORMAT:
        raise AnnotationError(Reason("annotations_later", path=str(path), format=format, own=FORMAT))
    return format


def _set_journal(connection: sqlite3.Connection, wanted: str) -> None:
    """Set the journal mode. Takes no lock if the file already has it.

    SQLite's busy timeout does not cover this statement, so this function retries when viewers start at the same time.
    """
    deadline = time.monotonic() + BUSY_S
    while connection.execute("PRAGMA journal_mode").fetchone() != (wanted,):
        try:
            connection.execute(f"PRAGMA journal_mode = {wanted}")
        except sqlite3.OperationalError as error:
            if errno_of(error) != BUSY or time.monotonic() > deadline:
                raise
            time.sleep(BUSY_PAUSE_S)
        else:
            return  # some file systems support only one mode


def _require_writable(connection: sqlite3.Connection) -> None:
    """Detect a read-only file now, not after a user has written a long note.

    A file that another process is writing to counts as writable.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if errno_of(error) != BUSY:
            raise
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_S * 1000)}")


def _as_ours(path: Path, error: sqlite3.DatabaseError) -> Exception:
    if is_damage(error):
        return DamagedDatabaseError(str(error))
    return AnnotationError(Reason(why_refused(error), path=str(path), reason=str(error), errno=errno_of(error)))


@contextmanager
def _locked(path: Path) -> Generator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
