# SPDX-License-Identifier: Apache-2.0
"""What of a run can't be read."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.context import TheViewer
from mindscope.server.failures import NOT_FOUND
from mindscope.server.run_schema import DamagesAnswer
from mindscope.server.summaries import list_damages

router = APIRouter()


@router.get("/damages", responses=NOT_FOUND)
def get_damages(run: str, viewer: TheViewer) -> DamagesAnswer:
    """Damaged places by file and byte, and the values that the recorder had to drop."""
    return list_damages(viewer.catalog, run)
