# SPDX-License-Identifier: Apache-2.0
"""A dataset holds the scalars of all runs, as other engines read it, and grows with them."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.dataset
import pytest

from mindscope.errors import RunNotFoundError
from mindscope.reading import export_dataset, open_runs
from mindscope.reading.dataset import BUCKETS
from tests.event_log import DATA, MINDSPORE_NAME, append, scalars, steps, version

NAME = MINDSPORE_NAME.format(1)


def write_run(directory: Path, *records: bytes) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    append(directory / NAME, b"".join(records))


def rows_of(target: Path) -> list[tuple[object, ...]]:
    """Return the rows as DuckDB reads them."""
    pattern = str(target / "scalars" / "*" / "*.parquet")
    query = "SELECT run, tag, step, wall_time, value FROM read_parquet($1) ORDER BY ALL"
    return duckdb.execute(query, [pattern]).fetchall()


def test_every_scalar_of_real_runs_is_in_the_dataset(tmp_path: Path) -> None:
    report = export_dataset(DATA, tmp_path)
    assert report.kept == ()
    runs = open_runs(DATA)
    want = sorted(
        (id, tag, step, wall_time, value)
        for id, run in runs.items()
        for tag in run.tags("scalar")
        for step, wall_time, value in zip(
            *(column.tolist() for column in run.scalars(tag).arrays().values()), strict=True
        )
    )
    got = rows_of(tmp_path)
    assert len(got) == len(want) > 1000
    assert np.array_equal([row[4] for row in sorted(got)], [row[4] for row in want], equal_nan=True)
    assert [row[:4] for row in sorted(got)] == [row[:4] for row in want]
    table = pyarrow.dataset.dataset(tmp_path / "scalars", partitioning="hive").to_table()
    assert table.num_rows == len(want)


def test_only_buckets_whose_runs_have_changed_are_written_again(tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    for number in range(200):
        write_run(logs / f"run{number}", version(), steps([1, 2]))
    first = export_dataset(logs, out)
    assert len(first.written) <= BUCKETS
    assert export_dataset(logs, out).written == ()
    write_run(logs / "run7", steps([3]))
    write_run(logs / "new", version(), steps([1]))
    second = export_dataset(logs, out)
    assert len(second.written) <= 2
    assert len(second.written) + len(second.kept) == len(list(out.rglob("*.parquet")))
    assert len(rows_of(out)) == 200 * 2 + 2
    shutil.rmtree(logs / "run7")
    export_dataset(logs, out)
    assert len(rows_of(out)) == 199 * 2 + 1


def test_numbers_and_names_are_exact(tmp_path: Path) -> None:
    values = [math.nan, math.inf, -math.inf, -0.0, 1e-45, 0.1]
    hostile = 'a "b"\n名前/../x'
    write_run(tmp_path / "logs" / "r", version(), *(scalars(n, {hostile: v}, 5.5 + n) for n, v in enumerate(values)))
    write_run(tmp_path / "logs" / "s", version(), steps([1]))
    export_dataset(tmp_path / "logs", tmp_path / "out", tags=[hostile])
    rows = rows_of(tmp_path / "out")
    assert {(row[0], row[1]) for row in rows} == {("r", hostile)}
    got = np.array([row[4] for row in rows])
    np.testing.assert_array_equal(got, np.array(values, np.float32).astype(float))
    assert math.copysign(1, got[3]) == -1


def test_points_that_a_restart_replaced_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write_run(logs / "a", version(), steps(range(10)))
    append(logs / "a" / MINDSPORE_NAME.format(2), version() + steps(range(5, 8), begun=100))
    assert len(rows_of(export(logs, tmp_path / "out"))) == 8
    assert len(rows_of(export(logs, tmp_path / "all", overwritten=True))) == 13


def export(logs: Path, out: Path, overwritten: bool = False) -> Path:
    export_dataset(logs, out, overwritten=overwritten)
    return out


def test_what_a_killed_export_left_is_removed(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "a", version(), steps([1]))
    (path,) = export_dataset(tmp_path / "logs", tmp_path / "out").written
    path.rename(path.with_name(".part-0123"))
    (again,) = export_dataset(tmp_path / "logs", tmp_path / "out").written
    assert [*path.parent.iterdir()] == [again]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_directory_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "a", version(), steps([1]))
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(PermissionError):
        export_dataset(tmp_path / "logs", tmp_path / "out")


def test_a_directory_without_runs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunNotFoundError, match="holds no run"):
        export_dataset(tmp_path, tmp_path / "out")
