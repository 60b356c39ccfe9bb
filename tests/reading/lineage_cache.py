# SPDX-License-Identifier: Apache-2.0
"""The lineage table as processes see it that share a cache, and logs for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mindscope.ingest import Catalog
from mindscope.reading.lineage_rows import ScalarChoice
from mindscope.reading.lineage_tables import LineageTables
from tests.event_log import lineage

Rows = dict[str, dict[str, str]]
NONE = ScalarChoice()


@contextmanager
def viewer(base: Path, **limits: int) -> Iterator[LineageTables]:
    """What a process of its own has."""
    catalog = Catalog(base, base.parent / "workspace", **limits)
    catalog.refresh()
    catalog.wait_until_saved()
    tables = LineageTables(lambda: catalog.runs, open_table=catalog.cache_table)
    yield tables
    tables.close()
    catalog.close()


def rows(tables: LineageTables, choice: ScalarChoice = NONE) -> Rows:
    """Rows as text, because NaN is not equal to itself; without facts that depend on the time."""
    table = tables.view(choice).table
    skipped = ("fact/state", "fact/duration")
    return {row["run"]: {id: repr(cell) for id, cell in row.items() if id not in skipped} for row in table}  # type: ignore[misc]


def opened(base: Path, choice: ScalarChoice = NONE, **limits: int) -> Rows:
    with viewer(base, **limits) as tables:
        return rows(tables, choice)


def truth(base: Path, choice: ScalarChoice = NONE) -> Rows:
    """The rows without any cache."""
    catalog = Catalog(base)
    catalog.refresh()
    return rows(LineageTables(lambda: catalog.runs), choice)


def custom(**values: int | float | str) -> bytes:
    """A record of custom fields."""
    maps = {int: "map_int32", float: "map_double", str: "map_str"}
    return lineage(
        {"user_defined_info": {"user_info": [{maps[type(each)]: {key: each}} for key, each in values.items()]}}
    )


def rewrite_in_place(path: Path, before: bytes, after: bytes) -> None:
    """Change the contents so that no stat tells it: only a reader of the file can find out."""
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    with path.open("r+b") as file:
        data = file.read()
        assert before in data
        file.seek(0)
        file.write(data.replace(before, after))
    os.utime(path, ns=times)
