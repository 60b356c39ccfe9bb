# SPDX-License-Identifier: Apache-2.0
"""The run list."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.answers import JsonAnswer
from mindscope.server.context import TheViewer
from mindscope.server.run_schema import RunsAnswer
from mindscope.server.summaries import summarize_runs

router = APIRouter()


@router.get("/runs", response_model=RunsAnswer)
def get_runs(viewer: TheViewer) -> JsonAnswer:
    """Every run below the base directory, at any depth."""
    return JsonAnswer(summarize_runs(viewer.catalog))
