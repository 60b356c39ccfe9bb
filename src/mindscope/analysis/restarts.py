# SPDX-License-Identifier: Apache-2.0
"""Finds the restarts of a training that replaced points of its curves."""

from __future__ import annotations

import numpy as np

from mindscope.store import RunStore, ScalarSeries
from mindscope.types import Kind

_MOST_TAGS = 20


def restart_steps(store: RunStore) -> list[int]:
    """Return the steps from which restarts recorded again, in the order of the restarts.

    A restart that continues after the last step replaces nothing, and looks like the next file of one training.
    """
    series = [store.scalars(tag) for tag in store.tags(Kind.SCALAR)[:_MOST_TAGS]]
    overwritten = [each for each in series if each is not None and each.hidden().overwritten > 0]
    return _steps(max(overwritten, key=lambda each: each.hidden().overwritten)) if overwritten else []


def _steps(series: ScalarSeries) -> list[int]:
    """Return the first steps of files that begin after the file before ended, at one of its steps or an earlier one."""
    points = series.all()
    starts = np.flatnonzero(points.file[1:] != points.file[:-1]) + 1
    begins_again = points.step[starts] <= points.step[starts - 1]
    is_later = points.wall_time[starts] >= points.wall_time[starts - 1]
    return points.step[starts[begins_again & is_later]].tolist()
