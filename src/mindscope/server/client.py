# SPDX-License-Identifier: Apache-2.0
"""The built web client: files of the package's ``web`` folder, and its page for every address that is not the API's."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

WEB = Path(__file__).parent / "web"
FOREVER = "public, max-age=31536000, immutable"
NOT_BUILT = """<!doctype html><meta charset="utf-8"><title>mindscope</title>
<h1>The web client is not built</h1>
<p>The viewer answers, but its page is missing from this installation.
In a clone of mindscope, with Node 20 or newer:</p>
<pre>cd ui
npm ci
npm run build</pre>
<p>Then load this page again; the viewer need not be restarted.
The data is already at <a href="/api/runs">/api/runs</a>.</p>
"""


class Assets(StaticFiles):
    """Files whose names hold a hash of what is in them."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = FOREVER
        return response


def mount(app: FastAPI, web: Path = WEB) -> None:
    """Serve ``web`` for everything that no route of the API has taken."""
    app.mount("/assets", Assets(directory=web / "assets", check_dir=False))

    @app.get("/{path:path}", include_in_schema=False)
    def get_page(path: str, request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404, "no such address")
        return _file(web, path) or _page(web)


def _page(web: Path) -> Response:
    page = web / "index.html"
    if not page.is_file():
        return HTMLResponse(NOT_BUILT, status_code=503)
    return FileResponse(page, headers={"cache-control": "no-cache"})


def _file(web: Path, path: str) -> Response | None:
    """A file that stands directly in ``web`` (icon, manifest); compared by name, so that no path is ever joined."""
    known = {file.name: file for file in web.iterdir() if file.is_file()} if web.is_dir() else {}
    return FileResponse(known[path], headers={"cache-control": "no-cache"}) if path in known else None
