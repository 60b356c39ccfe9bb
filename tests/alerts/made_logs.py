# SPDX-License-Identifier: Apache-2.0
"""Logs of trainings in which one thing goes wrong, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from mindscope.alerts import Alert, Monitor, Parameters, Rule
from mindscope.alerts.monitor import ALL_CHECKS
from mindscope.ingest import Catalog
from tests.event_log import append, event, scalars, version

NAME = "events.out.events.summary.1795225259.0.test_MS"
NOW = 1e6
POINTS = 600


def healthy(points: int = POINTS, seed: int = 0) -> np.ndarray:
    """Falls from 2.3 with the noise of batches, which is heavy-tailed, as it is of a classifier."""
    random = np.random.default_rng(seed)
    level = 2.3 * np.exp(-np.linspace(0, 5, points)) + 0.02
    return level * random.lognormal(0, 0.3, points)


def losses() -> dict[str, np.ndarray]:
    """By what is wrong with it."""
    made = {name: healthy(seed=seed) for seed, name in enumerate(("nan", "spike", "divergence"))}
    made["nan"][400:430] = [np.nan, np.inf, 0.1] * 10
    made["spike"][300:303] = [9.0, 20.0, 5.0]
    made["divergence"][300:] = np.exp(np.linspace(-1, 8, POINTS - 300))
    random = np.random.default_rng(3)
    made["plateau"] = 2.3 + 0.05 * random.normal(size=POINTS)
    return made


def write_losses(run: Path, values: Iterable[float], tag: str = "train/loss", first_step: int = 1) -> None:
    run.mkdir(parents=True, exist_ok=True)
    path = run / NAME
    if not path.exists():
        append(path, version())
    append(path, b"".join(scalars(step, {tag: float(v)}, 1000.0 + step) for step, v in enumerate(values, first_step)))


def histogram(tag: str, values: np.ndarray) -> Mapping[str, object]:
    """As a recorder writes it: 20 buckets of equal width over the finite values."""
    finite = values[np.isfinite(values)]
    counts, edges = np.histogram(finite, 20)
    buckets = [
        {"left": float(left), "width": float(right - left), "count": int(count)}
        for left, right, count in zip(edges, edges[1:], counts, strict=False)
    ]
    numbers = {"count": values.size, "min": float(finite.min()), "max": float(finite.max()), "sum": float(finite.sum())}
    return {"tag": tag, "histogram": {"buckets": buckets, "nan_count": int(np.isnan(values).sum()), **numbers}}


def write_histograms(run: Path, tag: str, histograms: Iterable[np.ndarray]) -> None:
    run.mkdir(parents=True, exist_ok=True)
    append(run / NAME, version())
    for step, values in enumerate(histograms, 1):
        append(run / NAME, event(step, histogram(tag, values), wall_time=1000.0 + step))


class Watch:
    """A monitor over logs that grow."""

    def __init__(
        self, base: Path, *rules: Rule, parameters: Parameters | None = None, most_rows: int | None = None
    ) -> None:
        self.catalog = Catalog(base)
        self.monitor = Monitor(self.catalog, parameters, rules or ALL_CHECKS, most_rows)

    def look(self, now: float = NOW) -> list[Alert]:
        changed = self.catalog.refresh()
        for run in sorted(changed):
            self.monitor.update(run)
        return self.monitor.alerts(now)
