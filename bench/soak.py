# SPDX-License-Identifier: Apache-2.0
"""A viewer beside a week of trainings: memory, open files, threads and times of answers, as the logs grow.

1,000 trainings begin one after the other and each lasts a tenth of the week, so about 100 are live. The week takes
``--minutes`` here. A page's requests come every second; one client follows the live changes. Everything is on the
loopback of this machine and ends by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import http.client
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from loading_server import PATIENCE_S, Viewer, viewer_of
from measuring import machine, memory_mb, processor_s
from numpy.typing import NDArray
from pictures import write_pictures
from scalar_logs import scalar_records

RUNS = 1000
LIFE = 0.1
"""Share of the week that a training lasts."""
STEPS = 2000
"""Steps of each training."""
TAGS = ["train/loss", "train/rate", "valid/loss"]
SAMPLE_S = 10.0
SHOWN_RUNS, PIXELS = 8, 600
BEGIN = 1.79e9


@dataclass(frozen=True)
class Sample:
    """The viewer at one time: of the week, in shares; memory in MB; times of answers in s since the last sample."""

    share: float
    runs: int
    points: int
    memory_mb: float
    open_files: int
    threads: int
    core: float
    p50_s: float
    p99_s: float
    slowest_s: float
    changes: int


def main() -> None:
    options = _options()
    print(machine())
    with tempfile.TemporaryDirectory(dir=options.room) as room:
        base = Path(room) / "runs"
        base.mkdir()
        with viewer_of(base, Path(room), reload_interval=3) as viewer:
            samples = list(_week(viewer, base, options.minutes * 60))
    _write(samples, options.out)
    _compare(samples)
    if options.picture:
        _draw(samples, options.picture)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--room", type=Path, help="for logs and workspace, 0.5 GB; by default that for temporary files")
    parser.add_argument("--out", type=Path, default=Path("build/soak.csv"))
    parser.add_argument("--picture", type=Path, help="draw NAME-light.webp and NAME-dark.webp")
    return parser.parse_args()


def _week(viewer: Viewer, base: Path, seconds: float) -> Iterator[Sample]:
    start, ends = time.monotonic(), time.monotonic() + seconds
    changes = _Changes(viewer.port)
    written = np.zeros(RUNS, np.int64)
    times: list[float] = []
    sampled_at, used = start, processor_s(viewer.pid)
    while (now := time.monotonic()) < ends:
        _append(base, written, (now - start) / seconds)
        times += _page(viewer)
        if now - sampled_at >= SAMPLE_S:
            core = (processor_s(viewer.pid) - used) / (now - sampled_at)
            sample = _sample(viewer, (now - start) / seconds, written, core, times, changes)
            print(", ".join(f"{name} {value:.4g}" for name, value in asdict(sample).items()), flush=True)
            yield sample
            times, sampled_at, used = [], now, processor_s(viewer.pid)
        time.sleep(max(0.0, now + 1 - time.monotonic()))
    _append(base, written, 1.0)
    _check_whole(viewer, int(written.sum()) * len(TAGS))


def _append(base: Path, written: NDArray[np.int64], share: float) -> None:
    """Append to each log what its training recorded until a share of the week."""
    begins = np.arange(RUNS) * (1 - LIFE) / RUNS
    due = (np.clip((share - begins) / LIFE, 0, 1) * STEPS).astype(np.int64)
    for run in np.flatnonzero(due > written):
        steps = np.repeat(np.arange(written[run], due[run]), len(TAGS))
        values = np.exp(-steps / STEPS) + 0.01 * (run % 10)
        directory = base / f"{run // 100}" / f"{run}"
        directory.mkdir(parents=True, exist_ok=True)
        with (directory / f"events.out.tfevents.{int(BEGIN) + run}.soak").open("ab") as file:
            file.writelines(scalar_records(TAGS, steps, BEGIN + run * 60.0 + steps, values))
    np.maximum(written, due, out=written)


def _page(viewer: Viewer) -> list[float]:
    """Ask what a page of curves of the newest runs asks; returns the seconds of each answer."""
    times: list[float] = []

    def timed(path: str, query: dict[str, object] | None = None) -> bytes:
        start = time.perf_counter()
        answer = viewer.ask(path, query)
        times.append(time.perf_counter() - start)
        return answer

    timed("/api/server")
    runs = [run["id"] for run in json.loads(timed("/api/runs"))["runs"]][-SHOWN_RUNS:]
    if runs:
        for tag in TAGS:
            timed("/api/curves", {"series": [{"run": run, "tag": tag} for run in runs], "pixels": PIXELS})
    return times


class _Changes:
    """Counts the live changes of a viewer, as an open page does."""

    def __init__(self, port: int) -> None:
        self.count = 0
        self._port = port
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        connection.request("GET", "/api/live")
        stream = connection.getresponse()
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline():
                self.count += line.startswith(b"data:")


def _sample(
    viewer: Viewer, share: float, written: NDArray[np.int64], core: float, times: list[float], changes: _Changes
) -> Sample:
    process = Path(f"/proc/{viewer.pid}")
    p50, p99, most = np.percentile(times, [50, 99, 100]).tolist()
    return Sample(
        share=share,
        runs=int((written > 0).sum()),
        points=int(written.sum()) * len(TAGS),
        memory_mb=memory_mb("VmRSS", viewer.pid),
        open_files=sum(1 for _ in (process / "fd").iterdir()),
        threads=sum(1 for _ in (process / "task").iterdir()),
        core=core,
        p50_s=p50,
        p99_s=p99,
        slowest_s=most,
        changes=changes.count,
    )


def _check_whole(viewer: Viewer, points: int) -> None:
    """Wait until the viewer has every point. Exits if it does not get there."""
    deadline = time.monotonic() + 120
    while (have := viewer.points(viewer.runs())) != points:
        if time.monotonic() > deadline:
            sys.exit(f"the viewer has {have:,} of {points:,} points")
        time.sleep(1)
    print(f"all {points:,} points were read, each once")


def _write(samples: list[Sample], out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([field.name for field in fields(Sample)])
        rows.writerows([f"{value:.6g}" for value in asdict(sample).values()] for sample in samples)
    print(f"{out}: {len(samples)} samples")


def _compare(samples: list[Sample]) -> None:
    """Print the medians of the stretches of the week."""
    print("share of the week   runs   points     memory    files  threads  core   p50     p99")
    for stretch in np.array_split(np.array(samples, object), min(5, len(samples))):
        names = ("share", "runs", "points", "memory_mb", "open_files", "threads", "core", "p50_s", "p99_s")
        share, runs, points, memory, files, threads, core, p50, p99 = (
            float(np.median([getattr(sample, name) for sample in stretch])) for name in names
        )
        print(
            f"{share:17.2f} {runs:6.0f} {points / 1e6:6.2f} M {memory:7.0f} MB {files:7.0f} {threads:8.0f} {core:6.2f}"
            f" {1000 * p50:6.1f} ms {1000 * p99:6.1f} ms"
        )


def _draw(samples: list[Sample], name: Path) -> None:
    days = [7 * sample.share for sample in samples]
    panels = {
        "memory in MB": [sample.memory_mb for sample in samples],
        "open files": [sample.open_files for sample in samples],
        "p99 of answers in ms": [1000 * sample.p99_s for sample in samples],
    }

    def draw(axes: Any) -> None:
        for axis, (title, values) in zip(axes, panels.items(), strict=True):
            axis.plot(days, values, linewidth=1.2)
            axis.set(title=title, xlabel="day", ylim=(0, 1.2 * max(values)))

    write_pictures(name, 9, 2.6, len(panels), draw)


if __name__ == "__main__":
    main()
