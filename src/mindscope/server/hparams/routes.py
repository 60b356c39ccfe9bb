# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters and results of runs."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.hparams.query import HparamTables
from mindscope.server.hparams.schema import HparamsAnswer, HparamsQuery
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse

router = APIRouter()


@router.post("/hparams", response_model=HparamsAnswer)
def query_hparams(query: HparamsQuery, viewer: CurrentViewer) -> JsonResponse:
    """One row per run, one column per parameter, metric or custom field; those that differ first."""
    return JsonResponse(viewer.shared(HparamTables, lambda: HparamTables(viewer.catalog)).table(query))
