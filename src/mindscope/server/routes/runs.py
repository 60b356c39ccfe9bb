# SPDX-License-Identifier: Apache-2.0
"""The run list."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.context import TheViewer
from mindscope.server.schema import RunsAnswer
from mindscope.server.summaries import summarize_runs

router = APIRouter()


@router.get("/runs")
def get_runs(viewer: TheViewer) -> RunsAnswer:
    """Every run below the base directory, at any depth."""
    return summarize_runs(viewer.catalog)
