# SPDX-License-Identifier: Apache-2.0
"""Measures ``mindscope start`` from its command until the last images and histograms of a log come over HTTP."""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from loading_server import Viewer, viewer_of, wait_for_cache
from measuring import memory_mb, processor_s
from value_logs import HISTOGRAM_TAGS, HISTOGRAMS_EVERY, IMAGE_TAGS, IMAGES_EVERY, RUNS, STEPS

POLL_S = 0.002
WANTED = {"image": (IMAGE_TAGS, IMAGES_EVERY), "histogram": (HISTOGRAM_TAGS, HISTOGRAMS_EVERY)}


def measure_starts(base: Path) -> dict[str, dict[str, float]]:
    """A start without a cache, and one over what it left."""
    with TemporaryDirectory() as room:
        return {"mindscope, cold": _measure(base, Path(room)), "mindscope, warm": _measure(base, Path(room))}


def _measure(base: Path, room: Path) -> dict[str, float]:
    with viewer_of(base, room) as viewer:
        begun = time.perf_counter()
        for run in RUNS:
            _wait_for(viewer, run)
        loaded = time.perf_counter() - begun
        times = {"started": viewer.started, "loaded": loaded, "ready": viewer.started + loaded}
        used = {"processor": processor_s(viewer.pid), "peak_mb": memory_mb("VmHWM", viewer.pid)}
        wait_for_cache(room)
        return times | used


def _wait_for(viewer: Viewer, run: str) -> None:
    while run not in viewer.runs() or not (_has_all(viewer, run, "image") and _has_all(viewer, run, "histogram")):
        time.sleep(POLL_S)
    _read_image(viewer, run)
    _read_histogram(viewer, run)


def _has_all(viewer: Viewer, run: str, kind: str) -> bool:
    tags = json.loads(viewer.ask("/api/tags", {"runs": [run], "kind": kind}))["tags"]
    wanted, every = WANTED[kind]
    return len(tags) == len(wanted) and all(tag["points"] == STEPS // every for tag in tags)


def _read_image(viewer: Viewer, run: str) -> None:
    where = f"run={run}&tag={IMAGE_TAGS[-1]}"
    id = json.loads(viewer.ask(f"/api/images?{where}"))["id"][-1]
    assert viewer.ask(f"/api/image?{where}&id={id}").startswith(b"\x89PNG")


def _read_histogram(viewer: Viewer, run: str) -> None:
    series = {"series": [{"run": run, "tag": HISTOGRAM_TAGS[-1]}], "range": [STEPS, STEPS]}
    answer = viewer.ask("/api/histograms", series)
    assert b'"in_range":1' in answer, answer[:300]
