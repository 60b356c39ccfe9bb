# SPDX-License-Identifier: Apache-2.0
"""The importance of columns for a target, as a message."""

from __future__ import annotations

from collections.abc import Callable

from mindscope.lineage.association import Estimate
from mindscope.lineage.importance import FeatureImportance, PairImportance
from mindscope.reading.lineage_table import LineageTable
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.lineage.query import selected
from mindscope.server.lineage.schema import (
    EstimateEntry,
    ImportanceAnswer,
    ImportanceFeature,
    ImportancePair,
    ImportanceQuery,
    SetApartColumn,
)


def answer_importance(
    table: LineageTable, query: ImportanceQuery, check: Callable[[], None] = lambda: None
) -> ImportanceAnswer:
    """Return the importance over the runs of a query.

    Raises ExpressionError, ColumnNotFoundError, and what ``check`` does.
    """
    found = selected(table, query).importance(query.target, query.columns, check, also=query.also)
    return ImportanceAnswer(
        target=found.target.id,
        sample_size=found.sample_size,
        features=[_feature(each) for each in found.features],
        pairs=[_pair(each) for each in found.pairs],
        set_apart=[SetApartColumn(id=each.key.id, reason=ReasonEntry.of(each.reason)) for each in found.set_apart],
        forest_score=None if found.forest_score is None else _estimate(found.forest_score),
        forest_problem=None if found.forest_problem is None else ReasonEntry.of(found.forest_problem),
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
