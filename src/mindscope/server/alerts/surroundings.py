# SPDX-License-Identifier: Apache-2.0
"""What to look at to see what an alert is about."""

from __future__ import annotations

import numpy as np

from mindscope.alerts import Alert
from mindscope.ingest import Catalog
from mindscope.server.alerts.schema import AlertSurroundings
from mindscope.stats import Abscissa, Parted

NEAR = 48
"""So many points before an episode, and behind it, tell it from what is usual."""
LONGEST = 200
"""Of a long episode its beginning is looked at."""


def surroundings_of(catalog: Catalog, alert: Alert) -> AlertSurroundings | None:
    """Steps and values around the beginning of an alert; None where no two steps and no number are there."""
    store = catalog.runs.get(alert.run)
    series = store.scalars(alert.tag) if store else None
    if series is None:
        return None
    parts = series.visible_parts().parts
    step = Parted([*(part["step"] for part in parts), np.empty(0, np.int64)])
    value = Parted([*(part["value"] for part in parts), np.empty(0, np.float32)])
    start, stop = Abscissa(step).bounds((alert.finding.step, alert.finding.last_step))
    first, last = max(start - NEAR, 0), min(min(stop, start + LONGEST) + NEAR, step.size)
    values = value.take(slice(first, last))
    numbers = values[np.isfinite(values)]
    if last - first < 2 or numbers.size == 0:
        return None
    return AlertSurroundings(
        first_step=int(step.at(first)),
        last_step=int(step.at(last - 1)),
        lowest=float(numbers.min()),
        highest=float(numbers.max()),
    )
