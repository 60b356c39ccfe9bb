# SPDX-License-Identifier: Apache-2.0
"""Reads SQLite databases that other programs write, without a lock that they wait for and without a new file beside.

SQLite makes files beside a database in WAL mode as soon as somebody opens it. Files of another user would then stop
the training, so a database without a log of its writer is read as one that nobody writes, and checked afterwards.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from threading import RLock
from time import monotonic, sleep
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from mindscope.errors import FormatError
from mindscope.formats.regular_files import file_head
from mindscope.lru import LRU
from mindscope.reasons import Reason
from mindscope.trackers.log import LogState

T = TypeVar("T")

SUFFIXES = (".db", ".sqlite", ".sqlite3")
ROWS = 2048
"""Rows of one transaction: a training that commits waits for it in the journal modes without WAL."""
MOST_COPIED_BYTES = 4 << 30
_MAGIC = b"SQLite format 3\0"
_HEAD_BYTES, _WRITE_VERSION, _WAL = 100, 18, 2
_TIMEOUT_S = 0.02
_PATIENCE_S, _PAUSE_S = 1.0, 0.0005
_UNWATCHED = "ro&immutable=1"
_LOCKS: LRU[str, RLock] = LRU(4096)


class _Copy(NamedTuple):
    state: LogState
    path: str
    directory: tempfile.TemporaryDirectory[str]


_COPIES: LRU[str, _Copy] = LRU(4)


class DatabaseBusyError(OSError):
    """Another program holds a database locked, or writes it faster than it can be read."""


class _ChangedError(Exception):
    """A database that nobody should write was written while it was read."""


def lock_of(path: str) -> RLock:
    """Return the lock of a database in this process.

    A file that the process closes loses all its locks, those of SQLite too: so only one thread has it open.
    """
    return _LOCKS.get_or_add(path, RLock)


def state_of(path: str) -> LogState:
    """Return what differs after each change of a database. Raises OSError."""
    file = os.stat(path)  # noqa: PTH116 (for each run of a database)
    try:
        log = os.stat(f"{path}-wal")  # noqa: PTH116
    except OSError:
        return file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns, 0, 0
    return file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns, log.st_size + 1, log.st_mtime_ns


def modified_ns(state: LogState) -> int:
    """Return the time of the last change."""
    return max(state[2], state[5])


def is_database(path: str) -> bool:
    """Return whether a file begins as a database. Raises OSError."""
    with lock_of(path):
        return file_head(path, len(_MAGIC)) == _MAGIC


def is_copied(path: str) -> bool:
    """Return whether a database is read from a copy."""
    return _COPIES.get(path) is not None


def read_database(path: str, work: Callable[[sqlite3.Connection], T]) -> T:
    """Return what ``work`` returns for a connection that only reads; it may be called again after a change.

    Raises FormatError for a damaged database, DatabaseBusyError for one that is locked, OSError.
    """
    deadline, pause = monotonic() + _PATIENCE_S, _PAUSE_S
    with lock_of(path):
        while True:
            before = state_of(path)
            try:
                with _connection(path, before) as connection:
                    return _worked(connection, work)
            except _ChangedError as error:
                problem = error
            except FormatError:
                raise
            except (UnicodeDecodeError, ValueError, TypeError, OverflowError) as error:  # of damaged texts and rows
                raise _problem(path, error) from error
            except sqlite3.Error as error:
                problem = error
                if "readonly" in str(
                    error
                ):  # its writer was killed in a transaction, which SQLite takes back in a copy
                    _copy_unchanged(path, before)
                elif not is_busy(error) and state_of(path) == before:
                    raise _problem(path, error) from error
            if monotonic() > deadline:
                raise _problem(path, problem) from problem
            sleep(pause)  # shorter than SQLite's own pauses, which miss the gaps between the commits of a busy training
            pause = min(pause * 1.5, _TIMEOUT_S)


def columns_of(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the columns of a table; none of one that does not exist."""
    return frozenset(str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})"))


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Read in one transaction: a busy training leaves few gaps in which one begins."""
    connection.execute("BEGIN")
    yield
    connection.execute("COMMIT")


def _worked(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    try:
        return work(connection)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.text_factory = _replaced
        return work(connection)


def _replaced(encoded: bytes) -> str:
    return str(encoded, "utf-8", "replace")


@contextmanager
def _connection(path: str, state: LogState) -> Generator[sqlite3.Connection]:
    mode = _mode(path, state)
    connection = _open(path, state, mode)
    try:
        yield connection
    finally:
        connection.close()
    if mode == _UNWATCHED and state_of(path) != state:
        raise _ChangedError


def _mode(path: str, state: LogState) -> str:
    """Return how to open a database, such that no file is made beside it; empty for a copy of it."""
    head = file_head(path, _HEAD_BYTES)
    if len(head) <= _WRITE_VERSION or head[_WRITE_VERSION] != _WAL:
        return "ro"
    has_index = _is_file(f"{path}-shm")
    if not state[4] or (state[4] == 1 and not has_index):
        return _UNWATCHED
    return "ro" if has_index and os.access(os.path.dirname(path), os.W_OK) else ""  # noqa: PTH120


def _open(path: str, state: LogState, mode: str) -> sqlite3.Connection:
    if mode and not _has_copy(path, state):
        _COPIES.drop(path)
        return _connect(path, mode)
    return _connect(_copy(path, state), "rw")


def _has_copy(path: str, state: LogState) -> bool:
    copy = _COPIES.get(path)
    return copy is not None and copy.state == state


def _connect(path: str, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(path)}?mode={mode}"
    connection = sqlite3.connect(address, _TIMEOUT_S, isolation_level=None, check_same_thread=False, uri=True)
    connection.execute("PRAGMA query_only = 1")
    return connection


def _copy_unchanged(path: str, state: LogState) -> None:
    with suppress(_ChangedError):
        _copy(path, state)


def _copy(path: str, state: LogState) -> str:
    copy = _COPIES.get(path)
    if copy is not None and copy.state == state:
        return copy.path
    _COPIES.drop(path)
    size = state[1] + state[4]
    if size > min(MOST_COPIED_BYTES, shutil.disk_usage(tempfile.gettempdir()).free // 2):
        raise FormatError(Reason("tracker_database_not_copied", file=os.path.basename(path), size=size))  # noqa: PTH119
    directory = tempfile.TemporaryDirectory(prefix="mindscope-")
    copied = f"{directory.name}{os.sep}copy"
    for ending in ("", "-wal", "-journal"):
        if _is_file(path + ending):
            shutil.copyfile(path + ending, copied + ending)
    if state_of(path) != state:
        raise _ChangedError
    _COPIES.add(path, _Copy(state, copied, directory))
    return copied


def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 (returns False on errors)


def is_busy(error: Exception) -> bool:
    """Return whether an error of SQLite says that another program holds the database locked."""
    return "locked" in str(error) or "busy" in str(error)


def _problem(path: str, error: Exception) -> Exception:
    name = os.path.basename(path)  # noqa: PTH119
    if is_busy(error) or isinstance(error, _ChangedError):
        return DatabaseBusyError(Reason("tracker_database_locked", file=name))
    return FormatError(Reason("tracker_database_damaged", file=name, why=str(error)))
