# SPDX-License-Identifier: Apache-2.0
"""Alerts of runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from mindscope.server.alerts.query import answer_alerts
from mindscope.server.alerts.schema import AlertsAnswer
from mindscope.server.alerts.worker import alerts_of
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse

router = APIRouter()


@router.get("/alerts", response_model=AlertsAnswer)
def get_alerts(viewer: CurrentViewer, since: Annotated[int | None, Query(ge=0)] = None) -> JsonResponse:
    """The alerts of the built-in checks and of thresholds; ``since`` is the version that the client has."""
    return JsonResponse(answer_alerts(viewer.catalog, alerts_of(viewer), since))
