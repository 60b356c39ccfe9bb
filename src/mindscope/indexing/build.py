# SPDX-License-Identifier: Apache-2.0
"""Makes or updates the index of a base directory by the workers of any executor of ``concurrent.futures``."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from mindscope.archive.names import archive_of
from mindscope.errors import IndexingError
from mindscope.indexing.manifest import Manifest, Part, index_folder, publish, read_manifest
from mindscope.indexing.plan import plan_parts, plan_tasks, run_files
from mindscope.indexing.task import DONE, REPORT, UNLIMITED, RunToIndex, Task, run_task
from mindscope.ingest.discover import FoundRun
from mindscope.reading.dataset import find_below
from mindscope.reading.open import directory_of
from mindscope.reasons import Reason
from mindscope.store import RunCache
from mindscope.store.run_index import RunIndex
from mindscope.store.workspace_caches import INDEX_NAME
from mindscope.table.frames import pyarrow_module

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""How often a task runs whose worker failed. In the last attempt each task has an executor of its own."""

Executors = Callable[[], AbstractContextManager[Executor | None]]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """An index after it was made: ``scanned_bytes`` of the logs of ``decoded`` runs were read.

    ``problems`` are texts by the run or path that has the problem.
    """

    manifest: Manifest
    runs: int
    decoded: int
    scanned_bytes: int
    problems: Mapping[str, str]


def build_index(
    base: str | os.PathLike[str],
    directory: Path,
    executors: Executors,
    *,
    limit_bytes: int = UNLIMITED,
    follow_links: bool = False,
    on_progress: Progress = lambda done, total: None,
) -> IndexReport:
    """Decode what is new in the runs below ``base``, and publish a new generation of their index in ``directory``.

    A killed call loses only the tasks that ran; the next one takes over what is done.

    Args:
        base: directory of the runs, at any depth.
        directory: a workspace, or a directory that viewers use as ``--index``; all workers must reach it.
        executors: opens an executor, None for this process; again after its workers failed.
        limit_bytes: of the caches in ``directory``.
        follow_links: also open links that lead out of ``base``.
        on_progress: called with the number of tasks that are done and of all.

    Raises:
        RunNotFoundError: ``base`` is no directory, or there is no run below it.
        IndexingError: ``base`` is an archive, a viewer or another call writes this cache, or ``directory`` has no room.
        MissingPackageError: pyarrow is not installed.
        OSError: writing failed.
    """
    pyarrow_module("pyarrow.parquet")
    if archive_of(base) is not None:
        raise IndexingError(Reason("index_of_archive", path=str(base)))
    discovery = find_below(base, follow_links)
    resolved = os.path.realpath(directory_of(base))
    cache = RunCache(directory, resolved, limit_bytes)
    try:
        if not cache.is_writer:
            raise IndexingError(Reason("index_in_use", folder=str(cache.folder)))
        build = _Build(cache, index_folder(directory, resolved), resolved, executors, on_progress)
        report = build.run(discovery.runs)
    finally:
        cache.close()
    unreadable = {str(path): "" for path in discovery.unreadable}
    return replace(report, problems={**unreadable, **report.problems})


class _Build:
    def __init__(self, cache: RunCache, folder: Path, base: str, executors: Executors, on_progress: Progress) -> None:
        self._cache = cache
        self._folder = folder
        self._tasks = folder / "tasks"
        self._base = base
        self._executors = executors
        self._on_progress = on_progress
        self._problems: dict[str, str] = {}
        self._scanned_bytes = 0
        self._decoded = 0
        self._done = self._total = 0  # tasks
        self._written: dict[str, Part] = {}  # parts of finished tasks, by name

    def run(self, runs: Mapping[str, FoundRun]) -> IndexReport:
        self._tasks.mkdir(parents=True, exist_ok=True)
        self._take_over_old_tasks()
        self._cache.keep_only(runs)
        manifest = read_manifest(self._folder)
        files = {id: run_files(run) for id, run in runs.items()}
        kept, written = plan_parts(files, manifest, self._cache.ids)
        waiting = [part for part in written if part.name not in self._written]
        self._run_tasks(waiting, runs)
        done = [self._written[part.name] for part in written if part.name in self._written]
        if written or len(kept) != len(manifest.parts):
            manifest = Manifest(self._folder, manifest.generation + 1, (*kept, *done))
            publish(manifest)
        shutil.rmtree(self._tasks, ignore_errors=True)
        return IndexReport(manifest, len(runs), self._decoded, self._scanned_bytes, self._problems)

    def _take_over_old_tasks(self) -> None:
        """Take over the results of a call that was killed, and remove what its workers had not finished."""
        for path in self._tasks.iterdir():
            if path.name.endswith(DONE):
                self._adopt(path)
            else:
                shutil.rmtree(path, ignore_errors=True)

    def _run_tasks(self, parts: list[Part], runs: Mapping[str, FoundRun]) -> None:
        waiting: list[list[Part]] = []
        for attempt in range(ATTEMPTS if parts else 0):
            is_last = attempt == ATTEMPTS - 1
            shares, waiting = [[task] for task in waiting] if is_last else [waiting], []
            for share in shares:
                with self._executors() as executor:
                    if attempt == 0:
                        share = plan_tasks(parts, _workers(executor))
                        self._total = len(share)
                    waiting += self._submit_all(share, runs, executor)
            if not waiting:
                return
        for id in (id for task in waiting for part in task for id in part.runs):
            self._problems.setdefault(id, "its worker failed")

    def _submit_all(
        self, tasks: list[list[Part]], runs: Mapping[str, FoundRun], executor: Executor | None
    ) -> list[list[Part]]:
        """Run tasks, a few more than there are workers at a time; returns those that failed."""
        failed: list[list[Part]] = []
        running: dict[Future[str], list[Part]] = {}
        rest = iter(tasks)
        try:
            while True:
                for parts in rest:
                    running[_submitted(executor, self._task(parts, runs))] = parts
                    if len(running) >= 2 * _workers(executor):
                        break
                if not running:
                    return failed
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    parts = running.pop(future)
                    if not self._take(future):
                        failed.append(parts)
        finally:
            for future in running:
                future.cancel()

    def _take(self, future: Future[str]) -> bool:
        """Take over a result; returns whether there is one. Raises IndexingError if nothing can be written."""
        try:
            path = Path(future.result())
        except IndexingError:
            raise
        except Exception as error:  # of any cluster, with its own classes
            log.warning("a task of the index failed: %s: %s", type(error).__name__, error)
            return False
        self._adopt(path)
        self._done += 1
        self._on_progress(self._done, self._total)
        return True

    def _task(self, parts: list[Part], runs: Mapping[str, FoundRun]) -> Task:
        ids = [id for part in parts for id in part.runs]
        name = hashlib.sha256(repr([part.name for part in parts]).encode()).hexdigest()[:24]
        given = {
            id: RunToIndex(replace(runs[id], contents=(), content_paths=(), settings=()), self._cache.state(id))
            for id in ids
        }
        return Task(name, self._tasks, self._cache.folder, self._base, tuple(parts), given)

    def _adopt(self, path: Path) -> None:
        """Take over the result of a task: first the states of the runs, then the Parquet files."""
        report = json.loads((path / REPORT).read_bytes())
        cached = RunCache(path, self._base, UNLIMITED, is_reader=True).folder
        self._cache.adopt(RunIndex(cached / INDEX_NAME, self._base).load(), cached)
        if not self._cache.is_writer:
            raise IndexingError(Reason("index_no_room", folder=str(self._cache.folder)))
        for fields in report["parts"]:
            part = Part(**fields)
            if part.rows:
                (self._folder / part.file).parent.mkdir(parents=True, exist_ok=True)
                os.replace(path / part.file, self._folder / part.file)  # noqa: PTH105 (it is atomic)
            self._written[part.name] = part
            self._decoded += len(part.runs)
        self._problems |= report["problems"]
        self._scanned_bytes += report["scanned_bytes"]
        shutil.rmtree(path, ignore_errors=True)


def _workers(executor: Executor | None) -> int:
    return 1 if executor is None else int(getattr(executor, "_max_workers", 0) or 8)


def _submitted(executor: Executor | None, task: Task) -> Future[str]:
    future: Future[str] = Future()
    try:
        if executor is not None:
            return executor.submit(run_task, task)
        future.set_result(run_task(task))
    except Exception as error:  # also of an executor whose processes ended
        future.set_exception(error)
    return future
