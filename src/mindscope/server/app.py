# SPDX-License-Identifier: Apache-2.0
"""The application: the resources, the middleware and the page over one catalog."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute

from mindscope import __version__
from mindscope.ingest import Catalog
from mindscope.server.alerts import routes as alerts
from mindscope.server.alerts.worker import alerts_of
from mindscope.server.annotations import routes as annotations
from mindscope.server.damages import routes as damages
from mindscope.server.debugger import routes as debugger
from mindscope.server.debugger.compare import routes as debug_comparisons
from mindscope.server.debugger.graphs import routes as debug_graphs
from mindscope.server.debugger.tensors import routes as debug_tensors
from mindscope.server.deletion import routes as deletion
from mindscope.server.expressions import routes as expressions
from mindscope.server.graphs import routes as graphs
from mindscope.server.groups import routes as groups
from mindscope.server.histograms import routes as histograms
from mindscope.server.http import static_files
from mindscope.server.http.admission import AdmissionMiddleware
from mindscope.server.http.body_limit import BodyLimitMiddleware, add_body_error_handler
from mindscope.server.http.context import Viewer
from mindscope.server.http.disconnect import DisconnectMiddleware
from mindscope.server.http.errors import RESPONSES, add_error_handlers
from mindscope.server.http.response_limit import DeadlineMiddleware
from mindscope.server.http.security import SecurityMiddleware, require_json, require_own_page
from mindscope.server.images import routes as images
from mindscope.server.info import routes as info
from mindscope.server.landscapes import routes as landscapes
from mindscope.server.lineage import routes as lineage
from mindscope.server.live import routes as live
from mindscope.server.live.event_stream import EventStream
from mindscope.server.logs import routes as logs
from mindscope.server.norms import routes as norms
from mindscope.server.openapi import add_missing_schemas
from mindscope.server.pr_curves import routes as pr_curves
from mindscope.server.previews import routes as previews
from mindscope.server.profiles import routes as profiles
from mindscope.server.runs import routes as runs
from mindscope.server.scalars import routes as scalars
from mindscope.server.statistics import routes as statistics
from mindscope.server.tags import routes as tags
from mindscope.server.tensors import routes as tensors
from mindscope.server.values import audio, text, video
from mindscope.server.values import routes as values
from mindscope.settings import Settings

READERS = (
    *(info, runs, tags, scalars, statistics, expressions, groups, histograms, norms, pr_curves),
    *(images, video, values, text, audio, tensors, graphs, landscapes, lineage, previews, damages),
    *(profiles, *profiles.VIEWS, debugger, debug_tensors, debug_comparisons, debug_graphs, logs),
)
WRITERS = (annotations, alerts, deletion)


def create_app(settings: Settings, catalog: Catalog) -> FastAPI:
    """The application over ``catalog``. The watcher publishes changes to its ``EventStream``.

    Raises SettingsError if the parameters of alerts can't be used.
    """
    app = FastAPI(
        title="mindscope",
        version=__version__,
        description="What a mindscope viewer answers. Nothing here changes a log, unless deleting runs is allowed.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=RESPONSES,
        lifespan=_lifespan,
        generate_unique_id_function=_operation_id,
    )
    app.state.viewer = viewer = Viewer(settings, catalog)
    alerts_of(viewer)  # parses its settings now, so that an error in them ends the start
    app.add_middleware(DisconnectMiddleware)
    app.add_middleware(DeadlineMiddleware)
    app.add_middleware(BodyLimitMiddleware)
    app.add_middleware(AdmissionMiddleware)
    app.add_middleware(SecurityMiddleware, host=settings.host)
    app.include_router(_api(), prefix="/api")
    static_files.mount(app)
    add_missing_schemas(app)
    add_error_handlers(app)
    add_body_error_handler(app)
    return app


def _api() -> APIRouter:
    api = APIRouter(dependencies=[Depends(require_json), Depends(require_own_page)])
    for resource in (*READERS, live, *WRITERS):
        api.include_router(resource.router)
    return api


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    viewer: Viewer = app.state.viewer
    viewer.shared(EventStream).open()
    yield
    viewer.close()


def _operation_id(route: APIRoute) -> str:
    return route.name
