# SPDX-License-Identifier: Apache-2.0
"""Annotated ranges of a trace of PyTorch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.tables.annotations import Annotations
from mindscope.profile.texts import Missing
from mindscope.table.columns import TextColumn
from mindscope.table.grouping import groups_of, sums_of


def annotations_of(analysis: KinetoAnalysis) -> Annotations | Missing:
    """Return the ranges of the host by name, also those of torch: optimizers and DataLoaders."""
    calls = analysis.calls
    rows = np.flatnonzero(calls.role == SliceRole.ANNOTATION)
    if not len(rows):
        return analysis.missing("annotations")
    group, first = groups_of([calls.name[rows]], len(rows))

    def added(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return sums_of(group, values[rows], len(first))

    longest = np.zeros(len(first), np.int64)
    np.maximum.at(longest, group, calls.duration[rows])
    found = Annotations(
        name=TextColumn(calls.name[rows[first]], analysis.trace.names),
        count=np.bincount(group, minlength=len(first)).astype(np.int64),
        host_total=added(calls.duration),
        host_self=added(calls.own),
        device_total=added(analysis.device_total) if len(analysis.device) else None,
        max=longest,
    )
    return found.select(np.argsort(-found.host_total, kind="stable"))
