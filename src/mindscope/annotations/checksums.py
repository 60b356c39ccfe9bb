# SPDX-License-Identifier: Apache-2.0
"""Checksums of records: SQLite has none, and would show a flipped bit of a note as if a user wrote it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, cast

from mindscope.formats.frames import crc32c

Row = tuple[str, str, str, int, str | None, float]
"""The columns of a record that the checksum covers: base, kind, key, version, fields, changed_at."""
COVERED = 6


def checksum_of(row: Row) -> int:
    """Return CRC-32C of all columns of a record."""
    return crc32c(json.dumps(row).encode())


def is_intact(row: tuple[Any, ...]) -> bool:
    """Return whether a record from ``SELECT *`` matches its checksum. Files of format 1 have no checksums."""
    covered, checksum = row[:COVERED], row[COVERED:]
    return not checksum or checksum[0] == checksum_of(cast("Row", covered))


def first_damaged(rows: Iterable[tuple[Any, ...]]) -> str | None:
    """Return a description of the first damaged record; None if all are intact."""
    damaged = next((row for row in rows if not is_intact(row)), None)
    return None if damaged is None else f"record {damaged[2]!r} of kind {damaged[1]!r} does not have its checksum"


def add_checksums(connection: sqlite3.Connection) -> None:
    """Upgrade from format 1 to 2, within a transaction of the caller."""
    rows = connection.execute("SELECT * FROM record").fetchall()
    connection.execute("ALTER TABLE record ADD COLUMN checksum INTEGER")
    connection.executemany(
        "UPDATE record SET checksum = ? WHERE base = ? AND kind = ? AND key = ?",
        [(checksum_of(row), *row[:3]) for row in rows],
    )
