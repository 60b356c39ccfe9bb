# SPDX-License-Identifier: Apache-2.0
"""Damages of runs."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.damages.query import list_damages
from mindscope.server.damages.schema import DamagesAnswer
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import NOT_FOUND

router = APIRouter()


@router.get("/damages", responses=NOT_FOUND)
def get_damages(run: str, viewer: CurrentViewer) -> DamagesAnswer:
    """Damages by file and byte, and the number of values that the recorder dropped."""
    return list_damages(viewer.catalog, run)
