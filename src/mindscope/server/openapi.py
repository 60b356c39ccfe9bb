# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document, with messages that FastAPI does not find. The types of the page come from the document."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic.json_schema import models_json_schema

from mindscope.server.alerts.schema import LiveAlerts
from mindscope.server.annotations.schema import LiveAnnotations
from mindscope.server.debugger.compare.schema import DebugComparisonHeader
from mindscope.server.debugger.graphs.schema import GraphFiguresHeader
from mindscope.server.debugger.schema import DebugHeatHeader, DebugHistoryHeader, DebugRowsHeader
from mindscope.server.embeddings.schema import EmbeddingGraphHeader, EmbeddingHeader, EmbeddingMetadataHeader
from mindscope.server.expressions.schema import ExpressionsHeader
from mindscope.server.graphs.schema import AttributesHeader, DiffHeader, StructureHeader
from mindscope.server.groups.schema import GroupsHeader
from mindscope.server.histograms.schema import HistogramsHeader
from mindscope.server.landscapes.schema import LandscapeHeader
from mindscope.server.live.schema import LiveChange, LiveHello
from mindscope.server.norms.schema import NormsHeader
from mindscope.server.pr_curves.schema import PrCurvesHeader
from mindscope.server.profiles.memory.schema import MemoryWindowHeader, SegmentMapHeader
from mindscope.server.profiles.pipeline.schema import PipelineHeader
from mindscope.server.profiles.ranks.schema import RanksHeader
from mindscope.server.profiles.steps.schema import StepsHeader
from mindscope.server.profiles.timeline.schema import FlameHeader, WindowHeader
from mindscope.server.scalars.schema import CurvesHeader
from mindscope.server.tensors.schema import HeatHeader
from mindscope.server.values.mesh import MeshHeader

router = APIRouter()

MESSAGES = (
    CurvesHeader,
    HistogramsHeader,
    ExpressionsHeader,
    GroupsHeader,
    HeatHeader,
    DebugRowsHeader,
    DebugHistoryHeader,
    DebugHeatHeader,
    GraphFiguresHeader,
    DebugComparisonHeader,
    StructureHeader,
    DiffHeader,
    AttributesHeader,
    NormsHeader,
    LandscapeHeader,
    EmbeddingHeader,
    EmbeddingMetadataHeader,
    EmbeddingGraphHeader,
    FlameHeader,
    WindowHeader,
    MemoryWindowHeader,
    SegmentMapHeader,
    PipelineHeader,
    RanksHeader,
    StepsHeader,
    PrCurvesHeader,
    MeshHeader,
    LiveHello,
    LiveChange,
    LiveAnnotations,
    LiveAlerts,
)
"""The messages inside binary columns and event streams."""


@router.get("/openapi.json", include_in_schema=False)
def get_openapi(request: Request) -> JSONResponse:
    """Return the OpenAPI document."""
    return JSONResponse(document_of(request.app))


def document_of(app: FastAPI) -> dict[str, Any]:
    """Return the document of an application that ``create_app`` made; mounts all routes."""
    app.state.routes.mount_all()
    document = app.openapi()
    document["components"]["schemas"].update(_extra_schemas())
    _declare_failures_as_json(document)
    return document


def _declare_failures_as_json(document: dict[str, Any]) -> None:
    """Declare errors as JSON, since FastAPI gives them the media type of the response."""
    for address in document["paths"].values():
        for operation in address.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    answer["content"] = {"application/json": next(iter(answer["content"].values()))}


def _extra_schemas() -> dict[str, Any]:
    models = [(model, "serialization") for model in MESSAGES]
    _, schema = models_json_schema(models, ref_template="#/components/schemas/{model}")  # pyright: ignore[reportArgumentType]
    return schema["$defs"]
