# SPDX-License-Identifier: Apache-2.0
"""Runs one viewer until a signal."""

from __future__ import annotations

import errno
import signal
import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import uvicorn
from fastapi import FastAPI

from mindscope.errors import ServerError
from mindscope.ingest import Catalog, Watcher
from mindscope.ingest.mirrored import followed
from mindscope.server.alerts.worker import alerts_of
from mindscope.server.app import create_app
from mindscope.server.http.admission import BACKLOG, MAX_CONNECTIONS
from mindscope.server.http.connection_timeouts import TimedProtocol
from mindscope.server.http.context import Viewer
from mindscope.server.live.event_stream import LiveEvents
from mindscope.server.process.logs import logging_of
from mindscope.server.process.registry import recorded
from mindscope.server.process.tls import tls_options
from mindscope.server.process.tokens import with_tokens_of_file
from mindscope.settings import Settings, require_base_dir

GRACE_S = 2
"""Seconds that responses in progress may take after a signal."""


class ViewerServer(uvicorn.Server):
    """Calls ``on_ready`` when it answers, and ends live streams before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, viewer: Viewer, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._viewer = viewer
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._viewer.shared(LiveEvents).close()
        await super().shutdown(sockets)


def serve(settings: Settings, on_ready: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; calls ``on_ready`` once the viewer answers.

    Logs load in the background: a run appears once it is read.

    Raises SettingsError if the base directory, the token or the certificate is missing, ServerError if the port can't
    be used.
    """
    require_base_dir(settings)
    settings, tls = with_tokens_of_file(settings), tls_options(settings)
    with listen(settings.host, settings.port) as listener, logging_of(settings), recorded(settings) as record:

        def ready() -> None:
            record()
            on_ready()

        base, workspace = settings.summary_base_dir, settings.workspace
        with followed(base, settings.reload_interval):
            catalog = Catalog(
                base, workspace, settings.cache_size, follow_links=settings.follow_links, index=settings.index
            )
            app = create_app(settings, catalog)
            server = ViewerServer(uvicorn_config(app, tls), app.state.viewer, ready)
            with _watching(catalog, app.state.viewer, settings.reload_interval), _signals_to(server):
                server.run(sockets=[listener])


@contextmanager
def _watching(catalog: Catalog, viewer: Viewer, reload_interval: float) -> Generator[None]:
    list_version = catalog.list_version
    stream, alerts = viewer.shared(LiveEvents), alerts_of(viewer)

    def publish(changed: frozenset[str]) -> None:
        nonlocal list_version
        before, list_version = list_version, catalog.list_version
        stream.publish(catalog.version, changed, run_list_changed=before != list_version)

    watcher = Watcher(catalog, reload_interval)
    watcher.add_listener(publish)
    watcher.start()
    alerts.start()
    try:
        yield
    finally:
        watcher.stop()
        alerts.close()
        catalog.close()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises ServerError with the remedy if the port can't be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise ServerError(f"port {port} of {host}: {_reason(error)}") from error
    # Connections inherit it. Without it, a response waits 40 ms until the client acknowledges its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "in use by another program; choose another port with --port"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "not allowed to this user; choose a port above 1023 with --port"
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return "not an address of this machine; choose another one with --host"
    return f"can't be listened on ({error}); choose others with --host and --port"


def uvicorn_config(app: FastAPI, tls: Mapping[str, Any] = MappingProxyType({})) -> uvicorn.Config:
    """Return the configuration with the same loop and parser whatever is installed.

    It ignores X-Forwarded-* headers, which ``proxied.py`` reads.
    """
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=TimedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        backlog=BACKLOG,
        limit_concurrency=MAX_CONNECTIONS,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        **tls,
    )


@contextmanager
def _signals_to(server: uvicorn.Server) -> Generator[None]:
    """Handle a signal that arrives before uvicorn handles signals, and the one that uvicorn raises again at its end."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, server.handle_exit) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
