# SPDX-License-Identifier: Apache-2.0
"""What a worker does: decodes the logs of some runs into a folder, which the process that indexes takes over.

A worker may be killed at any moment, and the same task may run twice: each attempt has a folder of its own, and the
first one to finish gives it the name of the task.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mindscope.errors import IndexingError
from mindscope.indexing.manifest import Part
from mindscope.ingest.discover import FoundRun
from mindscope.ingest.run_loader import RunLoader
from mindscope.reading.dataset import scalar_tables, write_tables
from mindscope.reading.run import Run
from mindscope.reasons import Reason
from mindscope.store import RunCache
from mindscope.store.run_index import State

DONE = ".done"
REPORT = "report.json"
UNLIMITED = 1 << 62


class RunToIndex(NamedTuple):
    """A run, and its state in the cache of the index, None if there is none."""

    files: FoundRun
    state: State | None


@dataclass(frozen=True, slots=True)
class Task:
    """Parts to write below ``tasks``, a folder that all workers reach, from the states in ``cache``."""

    name: str
    tasks: Path
    cache: Path
    base: str
    parts: tuple[Part, ...]
    runs: Mapping[str, RunToIndex]

    @property
    def folder(self) -> Path:
        """The folder of the result."""
        return self.tasks / f"{self.name}{DONE}"


def run_task(task: Task) -> str:
    """Decode the new data of the runs of a task; returns the folder of the result.

    It holds a cache of the runs, the Parquet files, and a report: the parts with their rows, and the problems by run.

    Raises IndexingError if this worker does not reach the folder or the disk is full, OSError.
    """
    if not task.tasks.is_dir():
        raise IndexingError(Reason("index_not_shared", folder=str(task.tasks)))
    attempt = task.tasks / f"{task.name}.{secrets.token_hex(6)}"
    try:
        cache = RunCache(attempt, task.base, UNLIMITED)
        try:
            report = _index(task, attempt, cache)
        finally:
            cache.close()
        (attempt / REPORT).write_text(json.dumps(report))
        _finish(attempt, task.folder)
    except BaseException:
        shutil.rmtree(attempt, ignore_errors=True)
        raise
    return str(task.folder)


def _finish(attempt: Path, folder: Path) -> None:
    """Name the folder of an attempt as the result, unless another attempt was faster."""
    try:
        os.rename(attempt, folder)  # noqa: PTH104 (it is atomic)
    except OSError:
        if not folder.is_dir():
            raise
        shutil.rmtree(attempt, ignore_errors=True)


def _index(task: Task, attempt: Path, cache: RunCache) -> dict[str, Any]:
    problems: dict[str, str] = {}
    scanned = [0]
    parts: list[dict[str, Any]] = []
    for part in task.parts:
        runs = _decoded((task.runs[id] for id in part.runs), cache, task.cache, problems, scanned)
        rows = write_tables(attempt / part.file, scalar_tables(runs))
        good = {id: fingerprint for id, fingerprint in part.runs.items() if id not in problems}
        parts.append(
            {"bucket": part.bucket, "name": part.name, "runs": good, "log_bytes": part.log_bytes, "rows": rows}
        )
    return {"parts": parts, "problems": problems, "scanned_bytes": scanned[0]}


def _decoded(
    runs: Iterator[RunToIndex], cache: RunCache, source: Path, problems: dict[str, str], scanned: list[int]
) -> Iterator[tuple[str, Run]]:
    """Yield the runs, decoded and saved. One that fails is a problem of this run only."""
    for run in runs:
        id = run.files.id
        try:
            loader = _decode(run, cache, source)
        except Exception as error:
            problems[id] = f"{type(error).__name__}: {error}"
            continue
        if not cache.is_writer:
            raise IndexingError(Reason("index_no_room", folder=str(cache.folder)))
        if id not in cache.ids:
            problems[id] = "its cache could not be written"
            continue
        scanned[0] += loader.scanned_bytes
        yield id, Run(loader.store, loader.read_all)


def _decode(run: RunToIndex, cache: RunCache, source: Path) -> RunLoader:
    if run.state is not None:
        with suppress(OSError, KeyError, TypeError, ValueError):  # damaged: the logs are read from their beginning
            cache.adopt({run.files.id: run.state}, source)
    loader = RunLoader(run.files, cache=cache)
    loader.read_all()
    loader.save()
    return loader
