# SPDX-License-Identifier: Apache-2.0
"""Serves the web client: the files of the folder ``web``, and its page at each address outside the API.

The page names its files relative to its own address, because only the browser knows what a proxy puts before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from mindscope.server.http.gzip import GzipResponse, accepts

WEB = Path(__file__).parents[1] / "web"
MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""Fixed, because the system's table of media types differs between machines."""
PAGE = "index.html"
RELATIVE = re.compile(r' (?:href|src)="\./')
TEXTS = frozenset({".css", ".html", ".js", ".json", ".svg"})
ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""Encodings that the build stores beside a file, the smallest first, and the ends of their names."""
FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
RETRY_S = 3
"""Seconds after which a browser retries a page that a build or an update is replacing."""
NOT_BUILT = f"""<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="{RETRY_S}">
<title>mindscope</title>
<h1>The web client is not built</h1>
<p>The viewer answers, but its page is missing from this installation.
In a clone of mindscope, with Node 20 or newer:</p>
<pre>cd ui
npm ci
npm run build</pre>
<p>This page loads it after the build; you do not have to restart the viewer.
The data is already at <a href="./api/runs">api/runs</a>.</p>
"""


def mount(app: FastAPI, web: Path = WEB) -> None:
    """Serve ``web`` at each address that no route of the API matches."""

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        encodings = [name for name in ENCODINGS if accepts(Headers(scope=scope), name)]
        up = "../" * (scope["raw_path"].count(b"/") - 1)  # the browser counts an encoded slash as a letter
        response = await run_in_threadpool(_response, web, scope["method"], scope["path"], up, encodings)
        await response(scope, receive, send)

    app.router.default = page


def _response(web: Path, method: str, path: str, up: str, encodings: Sequence[str]) -> Response:
    """Return a file by its name; else the page, which interprets the address. ``up`` leads from it to the root."""
    folder, _, name = path.removeprefix("/").rpartition("/")
    if method not in ("GET", "HEAD") or _is_below("api", path):
        _nothing_here()
    if _is_below("assets", path):
        return (folder == "assets" and _file(web / "assets", name, FOREVER, encodings)) or _nothing_here()
    return (not folder and name != PAGE and _file(web, name, REVALIDATE, encodings)) or _page(web, up, encodings)


def _page(web: Path, up: str, encodings: Sequence[str]) -> Response:
    """Return the page with addresses relative to its own; as the build compressed it where they are the same."""
    if up == "":
        return _file(web, PAGE, REVALIDATE, encodings) or _not_built(up)
    try:
        text = (web / PAGE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return _not_built(up)
    return GzipResponse(_climbing(text, up).encode(), media_type="text/html", headers={"cache-control": REVALIDATE})


def _climbing(html: str, up: str) -> str:
    """Return a page whose relative addresses begin further up."""
    return RELATIVE.sub(lambda match: match[0].removesuffix("./") + up, html)


def _is_below(folder: str, path: str) -> bool:
    return path == f"/{folder}" or path.startswith(f"/{folder}/")


def _file(folder: Path, name: str, cache_control: str, encodings: Sequence[str]) -> Response | None:
    """Return a file in ``folder``, as the build compressed it. Compares names, so that no request becomes a path."""
    known = {file.name: file for file in folder.iterdir() if file.is_file()} if folder.is_dir() else {}
    if name not in known:
        return None
    file, headers = known[name], {"cache-control": cache_control}
    for encoding in encodings:
        stored = known.get(name + ENCODINGS[encoding])
        if stored is not None:
            headers |= {"content-encoding": encoding, "vary": "accept-encoding"}
            return Response(stored.read_bytes(), media_type=MEDIA_TYPES.get(file.suffix), headers=headers)
    if file.suffix in TEXTS:
        return GzipResponse(file.read_bytes(), media_type=MEDIA_TYPES[file.suffix], headers=headers)
    return FileResponse(file, media_type=MEDIA_TYPES.get(file.suffix), headers=headers)


def _not_built(up: str) -> Response:
    return HTMLResponse(_climbing(NOT_BUILT, up), status_code=503, headers={"retry-after": str(RETRY_S)})


def _nothing_here() -> NoReturn:
    raise HTTPException(404, "no such address")
