# SPDX-License-Identifier: Apache-2.0
"""Mounts the routers of the API at the first request below their prefixes, so that a viewer starts without them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from threading import Lock

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send


class LazyRoutes:
    """The routers of modules that are imported when they are needed. For any thread."""

    def __init__(self, package: str, prefixes: Mapping[str, str], include: Callable[[APIRouter], None]) -> None:
        """``prefixes`` has the prefixes, one or two segments each, separated by spaces, of each module of ``package``.

        ``include`` adds the ``router`` of a module to the application.
        """
        self._package = package
        self._module_of = {f"/api/{word}": module for module, texts in prefixes.items() for word in texts.split()}
        self._include = include
        self._mounted: set[str] = set()
        self._lock = Lock()

    def missing_for(self, path: str) -> str | None:
        """Return the module with the routes of ``path`` if it is not mounted yet."""
        segments = path.split("/", 4)[:4]
        module = self._module_of.get("/".join(segments)) or self._module_of.get("/".join(segments[:3]))
        return None if module in self._mounted else module

    def mount(self, module: str) -> None:
        """Import a module and include its router; does nothing the second time."""
        with self._lock:
            if module not in self._mounted:
                self._include(import_module(f"{self._package}.{module}").router)
                self._mounted.add(module)

    def mount_all(self) -> None:
        """Mount all modules, in the order of the prefixes."""
        for module in dict.fromkeys(self._module_of.values()):
            self.mount(module)


class LazyRoutesMiddleware:
    """Mounts the routes of a request, in a thread because imports take long, before the router looks for them."""

    def __init__(self, app: ASGIApp, routes: LazyRoutes) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an event of a connection."""
        if scope["type"] == "http" and (module := self._routes.missing_for(scope["path"])) is not None:
            await run_in_threadpool(self._routes.mount, module)
        await self._app(scope, receive, send)
