# SPDX-License-Identifier: Apache-2.0
"""Decides which parts of an index stay, which runs make the new ones, and which parts a worker writes in one task."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from mindscope.indexing.manifest import FORMAT, Manifest, Part
from mindscope.ingest.discover import FoundRun

PART_BYTES = 256 << 20
"""Logs of a part at most, unless one run has more."""
LEAST_PART_BYTES = 64 << 20
"""Logs of a task at least. A part with less is written anew when its bucket gets new runs."""
RUN_BYTES = 64 << 10
"""What a run costs beside its logs, as bytes of logs."""
TASKS_PER_WORKER = 4


class RunFiles(NamedTuple):
    """State of the files of a run: changes with the path, size or time of one of them."""

    fingerprint: str
    size_bytes: int


def run_files(run: FoundRun) -> RunFiles:
    """Look at the files of a run."""
    facts = sorted(fact for file in run.files for fact in _facts(file.path))
    digest = hashlib.sha256(repr(facts).encode("utf-8", "backslashreplace"))
    return RunFiles(digest.hexdigest()[:16], sum(size for _, size, _ in facts))


def _facts(path: str) -> Iterator[tuple[str, int, int]]:
    """Yield path, size and time of a file, or of all files of a directory that is a log.

    Logs of trackers that share a file have a path below it.
    """
    while not os.path.exists(path) and len(path) > 1:  # noqa: PTH110 (for each of a million files)
        path = os.path.dirname(path)  # noqa: PTH120
    paths = [path]
    if os.path.isdir(path):  # noqa: PTH112
        paths = [os.path.join(path, name) for name in os.listdir(path)]  # noqa: PTH118, PTH208
    for file in paths:
        try:
            stat = os.stat(file)  # noqa: PTH116
        except OSError:
            continue
        yield file, stat.st_size, stat.st_mtime_ns


def plan_parts(files: Mapping[str, RunFiles], manifest: Manifest, cached: Collection[str]) -> list[list[Part]]:
    """Return the parts that stay and those to write. ``cached`` are the runs with a state in the cache."""

    def is_current(part: Part) -> bool:
        return all(
            id in cached and id in files and files[id].fingerprint == fingerprint
            for id, fingerprint in part.runs.items()
        )

    current = [part for part in manifest.parts if is_current(part)]
    in_parts = {id for part in current for id in part.runs}
    growing = {bucket_of(id) for id in files if id not in in_parts}
    kept = [part for part in current if part.bucket not in growing or part.log_bytes >= LEAST_PART_BYTES]
    in_parts = {id for part in kept for id in part.runs}
    loose: dict[str, list[str]] = defaultdict(list)
    for id in sorted(files):
        if id not in in_parts:
            loose[bucket_of(id)].append(id)
    written = [_part(bucket, group, files) for bucket, ids in sorted(loose.items()) for group in _groups(ids, files)]
    return [kept, written]


def bucket_of(run: str) -> str:
    """Return the bucket of a run: the first two digits of the hash of its id."""
    return hashlib.sha256(os.fsencode(run)).hexdigest()[:2]


def _groups(ids: Iterable[str], files: Mapping[str, RunFiles]) -> Iterator[list[str]]:
    group, size = list[str](), 0
    for id in ids:
        if group and size + files[id].size_bytes > PART_BYTES:
            yield group
            group, size = [], 0
        group.append(id)
        size += files[id].size_bytes
    yield group


def _part(bucket: str, ids: list[str], files: Mapping[str, RunFiles]) -> Part:
    runs = {id: files[id].fingerprint for id in ids}
    name = hashlib.sha256(repr((FORMAT, runs)).encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return Part(bucket, name, runs, sum(files[id].size_bytes for id in ids))


def plan_tasks(parts: list[Part], workers: int) -> list[list[Part]]:
    """Return the parts of each task: logs of 64 to 256 MB, or less, so that all workers get some."""
    costs = [part.log_bytes + RUN_BYTES * len(part.runs) for part in parts]
    wanted = min(LEAST_PART_BYTES, sum(costs) // (TASKS_PER_WORKER * workers))
    tasks: list[list[Part]] = []
    task, size = list[Part](), 0
    for part, cost in zip(parts, costs, strict=True):
        task.append(part)
        size += cost
        if size >= wanted:
            tasks.append(task)
            task, size = [], 0
    return [*tasks, task] if task else tasks
