# SPDX-License-Identifier: Apache-2.0
"""What a live page costs that shows a long curve: the work is that of the pixels and of the new points."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mindscope.analysis.expressions import Axis
from mindscope.formats.step_ranges import StepRanges
from mindscope.server.http.schema import SeriesName
from mindscope.server.scalars.cache import CurveCache
from mindscope.server.scalars.query import reduce_series
from mindscope.server.scalars.schema import Curve, CurvesQuery
from mindscope.stats.m4 import MEAN_PIXELS
from mindscope.store import ScalarSeries
from mindscope.store.chunk import write_chunk
from mindscope.store.file_ranks import FileRanks
from mindscope.store.store_lock import StoreLock

POINTS = 4_000_000
NEW = 1000
BUCKET = 4096  # rows of a bucket: the largest power of two that is at most a column of the screen
PIXELS = 600
SCANNED = 256  # rows at each end of a bucket at the most
NAME = SeriesName(run="run", tag="loss")

Rows = dict[str, NDArray[np.generic]]


def points(start: int, stop: int) -> Rows:
    step = np.arange(start, stop)
    return {"step": step, "wall_time": 1.7e9 + step, "value": np.sin(step * 1e-3).astype(np.float32)}


def sealed_series(path: Path, starts: list[int]) -> ScalarSeries:
    """A series whose rows are all in a file of the cache; each of ``starts`` begins an event file, so a restart."""
    files = FileRanks()
    series = ScalarSeries(files, StoreLock())
    for file, start in enumerate(starts):
        files.add(file, file, "")
        series.extend(file, points(start, start + POINTS // len(starts)))
    (place,) = write_chunk(path, series.points.layout, [series.points.parts(())], StepRanges())
    series.points.replace_rows((), place)
    return series


def ask(series: ScalarSeries, drawn: CurveCache, query: CurvesQuery, since: str | None = None) -> tuple[Curve, Rows]:
    curve = reduce_series(series, drawn, NAME.model_copy(update={"since": since}), query)
    assert curve.columns is not None
    return curve, curve.columns.__dict__


def spoil(path: Path, series: ScalarSeries, drawn_steps: NDArray[np.generic]) -> int:
    """Change on disk every value and time that need not be looked at again; returns how many points that are."""
    step = np.memmap(path, np.int64, "r", shape=POINTS)
    wall_time = np.memmap(path, np.float64, "r+", offset=8 * POINTS, shape=POINTS)
    value = np.memmap(path, np.float32, "r+", offset=16 * POINTS, shape=POINTS)
    place = step % BUCKET
    rows = np.flatnonzero((place >= SCANNED) & (place < BUCKET - SCANNED) & ~np.isin(step, drawn_steps.astype(int)))
    rows = rows[step[rows] < step.max() - SCANNED]  # behind the last whole block
    wall_time[rows[:: len(rows) // 100]] = -1.0
    value[rows] = np.nan
    for column in (wall_time, value):
        column.flush()
    return rows.size


@pytest.mark.parametrize("starts", [[0], [0, POINTS // 4]], ids=["one training", "after a restart"])
@pytest.mark.parametrize("smoothing", [0.0, 0.9])
def test_points_that_come_cost_what_they_are(tmp_path: Path, starts: list[int], smoothing: float) -> None:
    path = tmp_path / "points"
    series, drawn = sealed_series(path, starts), CurveCache()
    query = CurvesQuery(series=[], pixels=PIXELS, smoothing=smoothing, axis=Axis.STEP)
    first, rows = ask(series, drawn, query)
    stop = first.last_step + 1
    assert spoil(path, series, rows["step"]) > 0.8 * POINTS
    tracemalloc.start()
    for start in range(stop, stop + 5 * NEW, NEW):
        series.extend(len(starts) - 1, points(start, start + NEW))
        got, rows = ask(series, drawn, query)
    allocated = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert allocated < 4 * POINTS / 2  # half of the smallest column
    assert (got.points, got.last_step, got.nan) == (first.points + 5 * NEW, stop + 5 * NEW - 1, 0)
    assert got.start_wall_time == first.start_wall_time
    inside = rows["step"] < stop - BUCKET
    np.testing.assert_array_equal(rows["value"][inside], np.sin(rows["step"][inside] * 1e-3).astype(np.float32))
    drawn.pool.shutdown()


def test_a_page_that_follows_gets_the_new_rows_only(tmp_path: Path) -> None:
    series, drawn = sealed_series(tmp_path / "points", [0]), CurveCache()
    query = CurvesQuery(series=[], pixels=PIXELS)
    first, _ = ask(series, drawn, query)
    series.extend(0, points(POINTS, POINTS + NEW))
    got, rows = ask(series, drawn, query, first.cursor)
    assert got.kept > 0.99 * first.returned
    assert rows["step"].size < 4 * 2 * MEAN_PIXELS  # the mean of the last two stretches may change
    drawn.pool.shutdown()
