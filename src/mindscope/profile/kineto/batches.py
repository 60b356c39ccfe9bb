# SPDX-License-Identifier: Apache-2.0
"""Waits for batches of a DataLoader."""

from __future__ import annotations

import numpy as np

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import DATA_LOADER_PREFIX, SliceRole
from mindscope.profile.tables.data_pipeline import BatchWaits, DataPipeline
from mindscope.profile.texts import Missing
from mindscope.table.columns import TextColumn, integers_of


def data_pipeline_of(analysis: KinetoAnalysis) -> DataPipeline | Missing:
    """Make a pipeline of the calls of the iterator of a DataLoader."""
    calls, names = analysis.calls, analysis.trace.names
    is_loader = np.array([each.startswith(DATA_LOADER_PREFIX) for each in names], np.bool_)
    rows = (
        np.flatnonzero(is_loader[calls.name] & (calls.role == SliceRole.ANNOTATION)) if len(names) else np.empty(0, int)
    )
    if not len(rows):
        return analysis.missing("data_pipeline")
    rows = rows[np.argsort(calls.start[rows], kind="stable")]
    waits = BatchWaits(
        step=analysis.marked_steps.numbers_at(calls.start[rows]),
        start=calls.start[rows],
        wait=calls.duration[rows],
        loader=TextColumn.of(names[name].partition("#")[2].partition(".")[0] for name in integers_of(calls.name[rows])),
    )
    return DataPipeline(batches=waits)
