# SPDX-License-Identifier: Apache-2.0
"""Hyper-parameters and results of runs."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.answers import JsonAnswer
from mindscope.server.context import TheViewer
from mindscope.server.hparam_tables import HparamsAnswer, HparamsQuery

router = APIRouter()


@router.post("/hparams", response_model=HparamsAnswer)
def query_hparams(query: HparamsQuery, viewer: TheViewer) -> JsonAnswer:
    """One row a run, one column a parameter, metric or field of the user; those that differ first."""
    return JsonAnswer(viewer.hparams.table(query))
