# SPDX-License-Identifier: Apache-2.0
"""The run list."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from mindscope.server.answers import WrittenAnswer
from mindscope.server.context import TheViewer
from mindscope.server.run_schema import RunsAnswer

router = APIRouter()


@router.get("/runs", response_model=RunsAnswer)
def get_runs(viewer: TheViewer, since: Annotated[str | None, Query(max_length=64)] = None) -> WrittenAnswer:
    """Every run below the base directory, at any depth; with ``since``, the cursor of an answer, what is new to it."""
    return WrittenAnswer(viewer.run_list.answer(since))
