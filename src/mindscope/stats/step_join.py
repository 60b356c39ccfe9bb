# SPDX-License-Identifier: Apache-2.0
"""Several series of one run, brought to the steps that all of them have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mindscope.stats.expression import Column, ColumnsByName, coordinate

Series = tuple[Column, Column, Column]
"""step, wall_time and value of shape (n,); the steps ascend. Of points at one step the last counts."""


def join_steps(series: Mapping[str, Series]) -> ColumnsByName:
    """Return the values of each series by its name, at the steps that all have.

    Step and wall time are those of the first series.

    There must be a series. The columns are as ``Expression.evaluate`` takes them.
    """
    series = {name: _one_a_step(each) for name, each in series.items()}
    steps = [step for step, _, _ in series.values()]
    common = steps[0]
    for step in steps[1:]:
        if not np.array_equal(step, common):
            common = np.intersect1d(common, step, assume_unique=True)
    chosen = {name: _rows(each, common) for name, each in series.items()}
    _, wall_time, _ = next(iter(chosen.values()))
    values = {name: value for name, (_, _, value) in chosen.items()}
    return {**values, coordinate("step"): common, coordinate("wall_time"): wall_time}


def _one_a_step(series: Series) -> Series:
    step, wall_time, value = series
    is_last = np.append(step[1:] != step[:-1], True)[: step.size]
    return series if bool(is_last.all()) else (step[is_last], wall_time[is_last], value[is_last])


def _rows(series: Series, common: Column) -> Series:
    step, wall_time, value = series
    if step.size == common.size:
        return series
    rows = np.searchsorted(step, common)
    return common, wall_time[rows], value[rows]
