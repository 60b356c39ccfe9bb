# SPDX-License-Identifier: Apache-2.0
"""Runs that are indexed, and what their index holds."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mindscope.indexing import IndexReport, Manifest, build_index
from mindscope.ingest import Catalog
from tests.event_log import MINDSPORE_NAME, append, steps, version
from tests.ingest.cached import contents, write_logs

NAME = MINDSPORE_NAME.format(1)


def write_runs(base: Path, count: int = 12, points: int = 50) -> None:
    """Runs of several formats, one of them damaged, and ``count`` of one curve each."""
    write_logs(base)
    for number in range(count):
        run = base / f"run_{number}"
        run.mkdir()
        append(run / NAME, version() + steps(range(points + number)))


@contextmanager
def here() -> Generator[None]:
    """The executor of this process."""
    yield None


def indexed(base: Path, place: Path, **options: Any) -> IndexReport:
    return build_index(base, place, here, **options)


def parquet_bytes(manifest: Manifest) -> dict[str, bytes]:
    return {str(path.relative_to(manifest.folder)): path.read_bytes() for path in manifest.files}


def from_index(base: Path, place: Path) -> tuple[dict[str, Any], int]:
    """What a viewer shows that starts from an index, and the bytes of logs that it reads."""
    catalog = Catalog(base, index=place)
    try:
        catalog.refresh()
        return contents(catalog), catalog.scanned_bytes
    finally:
        catalog.close()
