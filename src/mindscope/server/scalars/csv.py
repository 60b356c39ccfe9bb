# SPDX-License-Identifier: Apache-2.0
"""A scalar series as a text table."""

from __future__ import annotations

from collections.abc import Iterator

from mindscope.store import ScalarSeries

ROWS_IN_A_CHUNK = 10_000


def scalar_csv_chunks(series: ScalarSeries) -> Iterator[str]:
    """Yield all visible points. Floats are the shortest decimals that parse to the same bits."""
    points = series.visible()
    yield "step,wall_time,value\r\n"
    for start in range(0, len(points), ROWS_IN_A_CHUNK):
        part = slice(start, start + ROWS_IN_A_CHUNK)
        steps, wall_times, values = points.step[part], points.wall_time[part], points.value[part].astype(str)
        rows = zip(steps.tolist(), wall_times.tolist(), values.tolist(), strict=True)
        yield "".join(f"{step},{wall_time!r},{value}\r\n" for step, wall_time, value in rows)
