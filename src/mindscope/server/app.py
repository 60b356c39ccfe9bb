# SPDX-License-Identifier: Apache-2.0
"""The application: routes, trust, live feed and client put together over one catalog."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute

from mindscope import __version__
from mindscope.alerts import Parameters
from mindscope.ingest import Catalog
from mindscope.ingest.names import readable
from mindscope.notebook import Notebook
from mindscope.server import client, openapi
from mindscope.server.alerting import Alerting
from mindscope.server.answer_limit import DeadlineMiddleware
from mindscope.server.body_limit import BodyLimitMiddleware, answer_refused_bodies
from mindscope.server.context import Viewer
from mindscope.server.departure import DepartureMiddleware
from mindscope.server.failures import RESPONSES, answer_failures
from mindscope.server.feed import Feed
from mindscope.server.hparam_tables import HparamTables
from mindscope.server.routes import (
    alerts,
    curves,
    damages,
    deletion,
    derived,
    histograms,
    hparams,
    images,
    live,
    notebook,
    outlines,
    pr_curves,
    runs,
    scalars_csv,
    server,
    statistics,
    tags,
    tensors,
    values,
)
from mindscope.server.run_list import RunList
from mindscope.server.trust import TrustMiddleware, require_json, require_own_page
from mindscope.settings import Settings


def create_app(settings: Settings, catalog: Catalog) -> FastAPI:
    """The viewer of ``catalog``. Whoever watches the files tells ``app.state.viewer.feed`` and ``alerting``.

    Raises SettingsError when the parameters of alerts can't be used.
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
    app.state.viewer = _viewer(settings, catalog)
    app.add_middleware(DepartureMiddleware)
    app.add_middleware(DeadlineMiddleware)
    app.add_middleware(BodyLimitMiddleware)
    app.add_middleware(TrustMiddleware, host=settings.host)
    app.include_router(_api(), prefix="/api")
    client.mount(app)
    openapi.complete(app)
    answer_failures(app)
    answer_refused_bodies(app)
    return app


def _viewer(settings: Settings, catalog: Catalog) -> Viewer:
    feed, notebook = Feed(), Notebook(settings.workspace, readable(str(catalog.base)))
    alerting = Alerting(catalog, notebook, feed, Parameters.from_text(settings.alerts))
    return Viewer(settings, catalog, feed, notebook, alerting, HparamTables(catalog), RunList(catalog))


def _api() -> APIRouter:
    api = APIRouter(dependencies=[Depends(require_json), Depends(require_own_page)])
    readers = (server, runs, tags, curves, scalars_csv, images, histograms, values, tensors, hparams, outlines, damages)
    for resource in (*readers, pr_curves, derived, statistics, live, notebook, alerts, deletion):
        api.include_router(resource.router)
    return api


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    viewer: Viewer = app.state.viewer
    viewer.feed.open()
    yield
    viewer.close()


def _operation_id(route: APIRoute) -> str:
    return route.name
