# SPDX-License-Identifier: Apache-2.0
"""The application: the resources, the middleware and the page over one catalog."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute

from mindscope.ingest import Catalog
from mindscope.server.alerts.worker import alerts_of
from mindscope.server.http import static_files
from mindscope.server.http.access import AccessMiddleware, require_editor
from mindscope.server.http.admission import AdmissionMiddleware
from mindscope.server.http.api_version import API_VERSION
from mindscope.server.http.body_limit import BodyLimitMiddleware, add_body_error_handler
from mindscope.server.http.context import Viewer
from mindscope.server.http.disconnect import DisconnectMiddleware
from mindscope.server.http.errors import RESPONSES, add_error_handlers
from mindscope.server.http.lazy_routes import LazyRoutes, LazyRoutesMiddleware
from mindscope.server.http.path_prefix import PathPrefixMiddleware
from mindscope.server.http.response_limit import DeadlineMiddleware
from mindscope.server.http.security import SecurityMiddleware, require_json, require_own_page
from mindscope.server.live.event_stream import LiveEvents
from mindscope.settings import Settings
from mindscope.types import Kind

ROUTES = {
    "info.routes": "server",
    "runs.routes": "runs",
    "tags.routes": "tags",
    "layouts.routes": "layouts",
    "scalars.routes": "curves scalars.csv",
    "statistics.routes": "statistics",
    "expressions.routes": "expressions",
    "groups.routes": "groups",
    "histograms.routes": "histograms",
    "norms.routes": "norms",
    "pr_curves.routes": "pr_curves",
    "images.routes": "images image",
    "values.routes": "values",
    **{f"values.{kind}": kind.value for kind in Kind if (Path(__file__).parent / f"values/{kind}.py").exists()},
    "tensors.routes": "tensor tensor.csv tensor.json tensor.npy",
    "graphs.routes": "graphs",
    "landscapes.routes": "landscapes",
    "embeddings.routes": "embeddings",
    "lineage.routes": "lineage",
    "query.routes": "query",
    "sweeps.routes": "sweeps",
    "previews.routes": "previews",
    "damages.routes": "damages",
    "profiles.routes": "profiles",
    "profiles.timeline.routes": "profiles/timeline profiles/window profiles/slice profiles/names profiles/search "
    "profiles/statistics profiles/flame profiles/export",
    "profiles.steps.routes": "profiles/steps",
    "profiles.pipeline.routes": "profiles/pipeline",
    "profiles.memory.routes": "profiles/memory",
    "profiles.diff.routes": "profiles/diff",
    "profiles.ranks.routes": "profiles/ranks",
    "profiles.rows.routes": "profiles/rows profiles/row profiles/modules",
    "profiles.scopes.routes": "profiles/scopes",
    "profiles.further.routes": "profiles/further",
    "profiles.streams.routes": "profiles/streams",
    "debugger.routes": "debugger",
    "debugger.tensors.routes": "debugger/tensor debugger/tensor.csv debugger/tensor.json debugger/tensor.npy",
    "debugger.compare.routes": "debugger/compare",
    "debugger.graphs.routes": "debugger/graph",
    "logs.routes": "logs",
    "files.routes": "files",
    "live.routes": "live",
    "annotations.routes": "annotations",
    "alerts.routes": "alerts",
    "run_files.routes": "runs/deletion runs/delete runs/move",
    "openapi": "openapi.json",
}
"""The modules with the routes of the API, and the first segments of their paths. Each is imported when it is needed."""


def create_app(settings: Settings, catalog: Catalog) -> FastAPI:
    """Return the application over ``catalog``. The watcher publishes changes to its ``LiveEvents``.

    Raises SettingsError if the parameters of alerts can't be used.
    """
    app = FastAPI(
        title="mindscope",
        version=API_VERSION,
        description="What a mindscope viewer answers. Nothing here changes a log, unless --allow-delete is set.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=RESPONSES,
        lifespan=_lifespan,
        generate_unique_id_function=_operation_id,
    )
    app.state.viewer = viewer = Viewer(settings, catalog)
    alerts_of(viewer)  # parses its settings now, so that an error in them ends the start
    app.state.routes = routes = LazyRoutes("mindscope.server", ROUTES, partial(_include, app))
    app.add_middleware(LazyRoutesMiddleware, routes=routes)
    app.add_middleware(DisconnectMiddleware)
    app.add_middleware(DeadlineMiddleware)
    app.add_middleware(BodyLimitMiddleware)
    app.add_middleware(AdmissionMiddleware)
    app.add_middleware(AccessMiddleware, settings=settings)
    app.add_middleware(PathPrefixMiddleware, prefix=settings.path_prefix)
    app.add_middleware(SecurityMiddleware, settings.host, settings.allow_host, settings.allow_frame)
    static_files.mount(app)
    add_error_handlers(app)
    add_body_error_handler(app)
    return app


def _include(app: FastAPI, router: APIRouter) -> None:
    rules = [Depends(require_json), Depends(require_own_page), Depends(require_editor)]
    app.include_router(router, prefix="/api", dependencies=rules)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    viewer: Viewer = app.state.viewer
    viewer.shared(LiveEvents).open()
    yield
    viewer.close()


def _operation_id(route: APIRoute) -> str:
    return route.name
