# SPDX-License-Identifier: Apache-2.0
"""Measures one thing that mindscope does with a log, in this process. See ``bench_loading.py``."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from measuring import report, started_s, timed
from scalar_logs import LONG_TAG, torch_tag

from mindscope.ingest import Catalog
from mindscope.server.scalars.cache import CurveCache
from mindscope.server.scalars.query import pack_curves
from mindscope.server.scalars.schema import CurvesQuery
from mindscope.store import RunStore, ScalarSeries
from mindscope.types import Kind

PIXELS = 1500


def load(base: str, workspace: str | None = None) -> Catalog:
    """Every run, and every curve readable; with a workspace as the viewer does it, which keeps a cache there."""
    catalog = Catalog(base, None if workspace is None else Path(workspace))
    catalog.refresh()
    for store in catalog.runs.values():
        for tag in store.tags(Kind.SCALAR):
            curve(store, tag).visible_parts()
    return catalog


def curve(store: RunStore, tag: str) -> ScalarSeries:
    series = store.scalars(tag)
    assert series is not None
    return series


def count_points(catalog: Catalog) -> int:
    return sum(len(curve(store, tag)) for store in catalog.runs.values() for tag in store.tags(Kind.SCALAR))


def measure_loading(base: str, workspace: str | None = None) -> None:
    """``seconds`` until all curves are readable, ``saved`` until the cache is written too, which comes after it."""
    started = started_s()
    with timed() as saving:
        with timed() as loading:
            catalog = load(base, workspace)
        catalog.wait_until_saved()
    report(started=started, seconds=loading.seconds, saved=saving.seconds, points=count_points(catalog))
    catalog.close()


def measure_cold_loading(base: str) -> None:
    """The first start: nothing is in the workspace."""
    with TemporaryDirectory() as workspace:
        measure_loading(base, workspace)


def draw(catalog: Catalog, drawn: CurveCache, tag: str, bounds: tuple[float, float] | None = None) -> tuple[float, int]:
    """Seconds and bytes of the answer that draws a tag of all runs."""
    names = [{"run": run, "tag": tag} for run in catalog.runs]
    query = CurvesQuery.model_validate({"series": names, "pixels": PIXELS, "range": bounds})
    with timed() as drawing:
        answer = bytes(pack_curves(catalog, query, drawn))
    return drawing.seconds, len(answer)


def measure_chart(base: str, rounds: int = 10) -> None:
    """One chart of all runs, for each of the tags in turn: the first time, and then again and again."""
    catalog, drawn = load(base), CurveCache()
    tags = [torch_tag(tag) for tag in range(20)]
    first = [draw(catalog, drawn, tag)[0] for tag in tags]
    again = [draw(catalog, drawn, tag) for _ in range(rounds) for tag in tags]
    times = [seconds for seconds, _ in again]
    report(
        first_ms=1000 * float(np.median(first)),
        p50_ms=1000 * float(np.percentile(times, 50)),
        p99_ms=1000 * float(np.percentile(times, 99)),
        answer_mb=again[0][1] / 1e6,
    )


def measure_long_curve(base: str) -> None:
    """One long curve, kept in a cache as the viewer keeps it: drawn whole, then zoomed into."""
    started = started_s()
    with TemporaryDirectory() as workspace:
        with timed() as loading:
            catalog = load(base, workspace)
        report(started=started, seconds=loading.seconds, points=count_points(catalog), **draw_and_zoom(catalog))
        catalog.close()


def draw_and_zoom(catalog: Catalog, zooms: int = 20) -> dict[str, float]:
    """Times in milliseconds: the first drawing, the same again, and views of ever narrower stretches anywhere."""
    drawn, steps = CurveCache(), count_points(catalog)
    first, again = (draw(catalog, drawn, LONG_TAG)[0] for _ in range(2))
    places = (np.random.default_rng(0).random(zooms) * steps).tolist()
    widths = [steps / 2 ** (1 + zoom % 16) for zoom in range(zooms)]
    views = [(place - width / 2, place + width / 2) for place, width in zip(places, widths, strict=True)]
    times = [draw(catalog, drawn, LONG_TAG, view)[0] for view in views]
    figures = {"first": first, "again": again, "zoom_p50": float(np.median(times)), "zoom_worst": max(times)}
    return {f"{name}_ms": 1000 * seconds for name, seconds in figures.items()}


MEASURES = {
    "cold": measure_cold_loading,
    "uncached": measure_loading,
    "loading": measure_loading,
    "chart": measure_chart,
    "long": measure_long_curve,
}

if __name__ == "__main__":
    MEASURES[sys.argv[1]](*sys.argv[2:])
