# SPDX-License-Identifier: Apache-2.0
"""An index holds what the logs hold, is made of what is new, and survives kills."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mindscope.errors import IndexingError
from mindscope.indexing import Manifest, build_index, read_manifest
from mindscope.indexing.plan import LEAST_PART_BYTES, PART_BYTES, RunFiles, bucket_of, plan_parts, plan_tasks
from mindscope.indexing.task import Task, run_task
from mindscope.ingest import Catalog
from mindscope.reading import open_runs, pack_runs
from tests.event_log import append, steps, version
from tests.ingest.cached import contents, fresh, opened

from .indexed import NAME, from_index, indexed, parquet_bytes, write_runs

POINTS = "SELECT run, tag, step, wall_time, value FROM {} ORDER BY ALL"


def of_duckdb(manifest: Manifest) -> list[tuple[Any, ...]]:
    """All points, as the documented statements read them."""
    with duckdb.connect() as database:
        database.execute(
            f"SET VARIABLE files = (SELECT list_transform(files, lambda file: '{manifest.folder}/' || file) FROM "
            f"read_json('{manifest.folder}/manifest.json', columns = {{files: 'VARCHAR[]'}}))"
        )
        return database.execute(POINTS.format("read_parquet(getvariable('files'))")).fetchall()


def of_logs(base: Path) -> list[tuple[Any, ...]]:
    result = open_runs(base).sql("SELECT run, tag, step, wall_time, value FROM scalars WHERE NOT is_overwritten")
    return sorted(tuple(row.values()) for row in result.to_arrow().to_pylist())


def test_a_viewer_reads_no_log_and_shows_the_same(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base)
    report = indexed(base, place)
    assert not report.problems
    assert report.scanned_bytes == sum(path.stat().st_size for path in base.glob("*/*events*"))
    assert from_index(base, place) == (fresh(base), 0)
    points = of_logs(base)
    assert report.manifest.rows == len(points) == len(of_duckdb(report.manifest))
    assert of_duckdb(report.manifest) == points
    for path in report.manifest.files:
        assert path.parent.name.removeprefix("run_bucket=") in {bucket_of(run) for run, *_ in points}


def test_polars_reads_the_files(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    base = tmp_path / "runs"
    write_runs(base, 3)
    manifest = indexed(base, tmp_path / "place").manifest
    frame = polars.scan_parquet(list(manifest.files)).select("run", "tag", "step", "wall_time", "value").collect()
    assert sorted(frame.rows()) == of_logs(base)


def test_only_what_is_new_is_decoded(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base)
    first = indexed(base, place).manifest
    again = indexed(base, place)
    assert (again.decoded, again.scanned_bytes, again.manifest) == (0, 0, first)
    more = steps([1000, 1001])
    append(base / "run_3" / NAME, more)
    (base / "new").mkdir()
    new = version() + steps(range(7))
    append(base / "new" / NAME, new)
    shutil.rmtree(base / "run_4")
    update = indexed(base, place)
    assert update.scanned_bytes == len(more) + len(new)
    assert update.manifest.generation == first.generation + 1
    assert of_duckdb(update.manifest) == of_logs(base)
    assert from_index(base, place) == (fresh(base), 0)
    assert all(path.exists() for path in first.files), "a reader of the generation before may go on"
    append(base / "run_3" / NAME, steps([1002]))
    third = indexed(base, place).manifest
    on_disk = {path.relative_to(third.folder) for path in third.folder.glob("scalars/*/*")}
    of_last = {path.relative_to(third.folder) for path in (*third.files, *update.manifest.files)}
    assert on_disk == of_last


def test_an_update_has_the_files_of_a_new_index(tmp_path: Path) -> None:
    base = tmp_path / "runs"
    write_runs(base)
    indexed(base, tmp_path / "updated")
    append(base / "run_3" / NAME, steps([1000, 1001]))
    updated = indexed(base, tmp_path / "updated").manifest
    assert parquet_bytes(updated) == parquet_bytes(indexed(base, tmp_path / "new").manifest)


class DyingPool(ProcessPoolExecutor):
    """Processes of which one is killed with the first task."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(fn, *args, **kwargs)
        for process in list(self._processes.values())[:1]:
            process.kill()
        return future


def test_tasks_of_a_killed_process_run_again(tmp_path: Path) -> None:
    base = tmp_path / "runs"
    write_runs(base)
    pools = [DyingPool, ProcessPoolExecutor]

    @contextmanager
    def executors() -> Generator[ProcessPoolExecutor]:
        before = set(active_children())
        with pools.pop(0)(2, get_context("spawn")) as pool:
            try:
                yield pool
            finally:
                for process in set(active_children()) - before:  # a broken pool waits for one that it just started
                    process.kill()

    report = build_index(base, tmp_path / "place", executors)
    assert not pools
    assert not report.problems
    assert parquet_bytes(report.manifest) == parquet_bytes(indexed(base, tmp_path / "other").manifest)
    assert from_index(base, tmp_path / "place") == (fresh(base), 0)


def test_a_call_that_ended_early_is_continued(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base)

    def end(done: int, total: int) -> None:
        assert total > 2
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        indexed(base, place, on_progress=end)
    assert from_index(base, place)[0] == fresh(base), "a viewer uses what is there, and reads the logs of the rest"
    report = indexed(base, place)
    size = sum(path.stat().st_size for path in base.glob("*/*events*"))
    assert 0 < report.scanned_bytes < size
    assert parquet_bytes(report.manifest) == parquet_bytes(indexed(base, tmp_path / "other").manifest)


def test_a_result_that_nobody_took_over_is_taken_over(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base, 1)
    whole = indexed(base, tmp_path / "other").manifest
    tasks: list[Task] = []

    class Taking:
        _max_workers = 1

        def submit(self, fn: Any, task: Task) -> Future[str]:
            run_task(task)
            assert run_task(task) == str(task.folder), "an attempt that is late leaves the first result"
            tasks.append(task)
            raise KeyboardInterrupt

    @contextmanager
    def executors() -> Generator[Any]:
        yield Taking()

    with pytest.raises(KeyboardInterrupt):
        build_index(base, place, executors)
    assert tasks[0].folder.is_dir()
    (tasks[0].tasks / "attempt.killed").mkdir()
    report = indexed(base, place)
    assert not tasks[0].tasks.exists()
    assert parquet_bytes(report.manifest) == parquet_bytes(whole)


def test_a_lost_chunk_costs_one_run(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base)
    folder = indexed(base, place).manifest.folder.parent
    next(folder.glob("*.chunk")).unlink()
    assert from_index(base, place)[0] == fresh(base)
    for path in base.glob("run_*/*"):
        append(path, steps([500]))
    report = indexed(base, place)
    assert not report.problems
    assert of_duckdb(report.manifest) == of_logs(base)
    assert from_index(base, place)[0] == fresh(base)


def test_a_viewer_that_writes_the_cache_is_not_disturbed(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base, 2)
    with opened(base, tmp_path / "workspace") as catalog:
        with pytest.raises(IndexingError, match="--out"):
            indexed(base, tmp_path / "workspace")
        indexed(base, place)
        assert contents(catalog) == fresh(base)
    with opened(base, tmp_path / "own", index=place) as reader:
        append(base / "run_1" / NAME, steps([900]))
        indexed(base, place)
        reader.refresh()
        assert contents(reader) == fresh(base), "beside the next generation"
    report = indexed(base, tmp_path / "workspace")
    assert report.scanned_bytes == len(steps([900])), "the viewer had read the rest"
    with opened(base, tmp_path / "workspace") as catalog:
        assert catalog.scanned_bytes == 0


def test_without_an_index_the_logs_are_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    base = tmp_path / "runs"
    write_runs(base, 1)
    catalog = Catalog(base, index=tmp_path / "missing")
    catalog.refresh()
    assert contents(catalog) == fresh(base)
    assert "holds no index" in caplog.text
    assert not (tmp_path / "missing").exists()
    assert read_manifest(tmp_path / "missing") == Manifest(tmp_path / "missing")


def test_what_stops_an_index_is_said(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base, 1)
    pack_runs([str(base)], str(tmp_path / "runs.mscope"))
    with pytest.raises(IndexingError, match="archive"):
        indexed(tmp_path / "runs.mscope", place)
    with pytest.raises(IndexingError, match="room"):
        indexed(base, place, limit_bytes=100)
    with pytest.raises(IndexingError, match="all machines"):
        run_task(Task("a", tmp_path / "elsewhere", place, str(base), (), {}))


def test_parts_and_tasks_have_bounded_logs(tmp_path: Path) -> None:
    files = {f"run_{number}": RunFiles("f", 20 << 20) for number in range(2000)}
    kept, parts = plan_parts(files, Manifest(tmp_path), ())
    assert kept == []
    assert sorted(id for part in parts for id in part.runs) == sorted(files)
    assert max(part.log_bytes for part in parts) <= PART_BYTES
    tasks = plan_tasks(parts, 8)
    assert [part for task in tasks for part in task] == parts
    assert max(sum(part.log_bytes for part in task) for task in tasks) < LEAST_PART_BYTES + PART_BYTES
    large = [part for part in parts if part.log_bytes >= LEAST_PART_BYTES]
    manifest = Manifest(tmp_path, 1, tuple(parts))
    assert plan_parts(files, manifest, files)[1] == []
    grown = {**files, "run_7": RunFiles("g", 21 << 20)}
    written = plan_parts(grown, manifest, files)[1]
    touched = next(part for part in parts if "run_7" in part.runs)
    assert {id for part in written for id in part.runs} >= set(touched.runs)
    assert not {part.name for part in written} & {part.name for part in large if part != touched}
