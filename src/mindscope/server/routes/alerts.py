# SPDX-License-Identifier: Apache-2.0
"""What is wrong with runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from mindscope.server.alert_entries import answer_alerts
from mindscope.server.alerts_schema import AlertsAnswer
from mindscope.server.answers import JsonAnswer
from mindscope.server.context import TheViewer

router = APIRouter()


@router.get("/alerts", response_model=AlertsAnswer)
def get_alerts(viewer: TheViewer, since: Annotated[int | None, Query(ge=0)] = None) -> JsonAnswer:
    """What the built-in checks and people's thresholds found; ``since`` is the version of an answer one has."""
    return JsonAnswer(answer_alerts(viewer.catalog, viewer.alerting, since))
