# SPDX-License-Identifier: Apache-2.0
"""The viewer's answers about the lineage table of a directory, timed in a process of its own. See bench_lineage.py."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import TypeVar

from measuring import report

from mindscope.formats import mindspore
from mindscope.formats.frames import frame
from mindscope.ingest import Catalog
from mindscope.server.http.context import Viewer
from mindscope.server.lineage.schema import FilterQuery, ImportanceQuery, LineageTableQuery
from mindscope.settings import Settings

SCALARS_NAME = "events.out.events.summary.2.0.host_MS"
SCALARS = ["loss"]
REPEATS = 9
T = TypeVar("T")


def main(base: Path, workspace: Path, wants_importance: bool) -> None:
    """Report the figures in ms of processor time, because other programs may run, and in bytes."""
    catalog = Catalog(base, workspace)
    listing_ms, _ = timed(catalog.refresh)
    catalog.wait_until_saved()
    viewer = Viewer(Settings(summary_base_dir=base), catalog)
    first_ms, whole = timed(lambda: table(viewer, None))
    again_ms = median(timed(lambda: table(viewer, None))[0] for _ in range(REPEATS))
    cursor = json.loads(whole)["cursor"]
    unchanged_ms = median(timed(lambda: table(viewer, cursor))[0] for _ in range(REPEATS))
    deltas: list[tuple[float, float, str]] = []
    for number in range(REPEATS):
        path = append_scalar(base, number)
        paths = [path] if number else None  # the first file is new
        read_ms, _ = timed(lambda paths=paths: catalog.refresh(paths))
        ms, text = timed(lambda cursor=cursor: table(viewer, cursor))
        answer = json.loads(text)
        assert answer["runs"] == ["run_17"], answer["runs"]
        cursor = answer["cursor"]
        deltas.append((read_ms, ms, text))
    filter_ms = median(timed(lambda: matching(viewer))[0] for _ in range(REPEATS))
    importance_ms = timed(lambda: importance(viewer))[0] if wants_importance else None
    viewer.close()
    catalog.close()
    report(
        listing_ms=listing_ms,
        first_ms=first_ms,
        whole_bytes=len(whole.encode()),
        whole_gzip_bytes=len(zlib.compress(whole.encode(), 1)),
        again_ms=again_ms,
        unchanged_ms=unchanged_ms,
        read_ms=median(read for read, _, _ in deltas[1:]),
        delta_ms=median(ms for _, ms, _ in deltas[1:]),
        delta_bytes=len(deltas[-1][2].encode()),
        filter_ms=filter_ms,
        importance_ms=importance_ms,
    )


def timed(run: Callable[[], T]) -> tuple[float, T]:
    start = process_time()
    result = run()
    return (process_time() - start) * 1000, result


def table(viewer: Viewer, since: str | None) -> str:
    from mindscope.server.lineage.query import answer_table  # the viewer imports it with the first request too

    return answer_table(viewer, LineageTableQuery(scalars=SCALARS, since=since))


def matching(viewer: Viewer) -> object:
    from mindscope.server.lineage.query import filter_runs

    where = 'learning_rate < 0.01 and metric["Accuracy"] > 0.9'
    return filter_runs(viewer, FilterQuery(scalars=SCALARS, where=where))


def importance(viewer: Viewer) -> object:
    from mindscope.server.lineage.importance import answer_importance
    from mindscope.server.lineage.query import view_table

    query = ImportanceQuery(scalars=SCALARS, target="metric/Accuracy")
    return answer_importance(view_table(viewer, query).table, query)


def append_scalar(base: Path, number: int) -> str:
    """One more value of run_17; returns the path of its file."""
    path = base / "run_17" / SCALARS_NAME
    step = path.stat().st_size if path.exists() else 0  # grows
    values = mindspore.value_field({"tag": "loss", "scalar_value": 1 / (1 + step)})
    with path.open("ab") as file:
        if step == 0:
            file.write(frame(mindspore.version_event(1.0)))
        file.write(frame(mindspore.summary_event(1000.0 + step, step, values)))
    return str(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] == ["importance"])
