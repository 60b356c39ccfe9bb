# SPDX-License-Identifier: Apache-2.0
"""The importance of columns for a target, as a message."""

from __future__ import annotations

import math

from mindscope.lineage.association import Estimate
from mindscope.lineage.importance import FeatureImportance, PairImportance
from mindscope.reading.lineage_table import LineageTable
from mindscope.reading.lineage_tables import LineageView
from mindscope.server.http.disconnect import check_connected
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.jobs.background import BackgroundJobs, Worker
from mindscope.server.jobs.task import Task
from mindscope.server.lineage.query import selected
from mindscope.server.lineage.schema import (
    EstimateEntry,
    ImportanceAnswer,
    ImportanceFeature,
    ImportancePair,
    ImportanceQuery,
    SetApartColumn,
)

MOST_ANSWERS = 32
"""An answer for 2,000 columns has about a megabyte."""


class ImportanceJobs(BackgroundJobs[str, Task[str]]):
    """Computes one answer at a time, because each takes seconds of a core. For any thread."""

    def __init__(self) -> None:
        super().__init__(MOST_ANSWERS, Worker("importance"), budget_s=math.inf, patience_s=0)

    def answer(self, view: LineageView, query: ImportanceQuery) -> str:
        """Return an ImportanceAnswer as JSON. Raises as ``answer_importance``."""

        def compute(task: Task[str]) -> str:
            return answer_importance(view.table, query).model_dump_json()

        task = self.request(query.model_dump_json(), view.cursor, lambda: Task(compute))
        assert task.value is not None
        return task.value


def answer_importance(table: LineageTable, query: ImportanceQuery) -> ImportanceAnswer:
    """Return the importance over the runs of a query.

    Raises ExpressionError, ColumnNotFoundError, and as ``check_connected``.
    """
    importance = selected(table, query).importance(query.target, query.columns, check_connected, also=query.also)
    return ImportanceAnswer(
        target=importance.target.id,
        sample_size=importance.sample_size,
        features=[_feature(feature) for feature in importance.features],
        pairs=[_pair(pair) for pair in importance.pairs],
        set_apart=[SetApartColumn(id=each.key.id, reason=ReasonEntry.of(each.reason)) for each in importance.set_apart],
        forest_score=None if importance.forest_score is None else _estimate(importance.forest_score),
        forest_problem=None if importance.forest_problem is None else ReasonEntry.of(importance.forest_problem),
    )


def _feature(feature: FeatureImportance) -> ImportanceFeature:
    measures = {str(measure): _estimate(each) for measure, each in feature.measures.items()}
    return ImportanceFeature(id=feature.key.id, kind=feature.kind, measures=measures)


def _pair(pair: PairImportance) -> ImportancePair:
    return ImportancePair(one=pair.one.id, other=pair.other.id, share=_estimate(pair.share))


def _estimate(estimate: Estimate) -> EstimateEntry:
    return EstimateEntry(
        value=finite(estimate.value), low=finite(estimate.low), high=finite(estimate.high), size=estimate.sample_size
    )
