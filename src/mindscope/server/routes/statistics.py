# SPDX-License-Identifier: Apache-2.0
"""Figures of whole scalar series."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.answers import JsonAnswer
from mindscope.server.context import TheViewer
from mindscope.server.statistics import StatisticsAnswer, StatisticsQuery, compute_statistics

router = APIRouter()


@router.post("/statistics", response_model=StatisticsAnswer)
def query_statistics(query: StatisticsQuery, viewer: TheViewer) -> JsonAnswer:
    """First, last, smallest, largest and mean value of tags in runs, over all points."""
    return JsonAnswer(compute_statistics(viewer.catalog, query))
