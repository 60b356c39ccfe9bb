# SPDX-License-Identifier: Apache-2.0
"""The HTML page of one value, as a document without rights of its own.

The headers hold also without the frame of the page: the document has no origin, loads nothing, sends nothing and
submits nothing. Scripts run only if a request allows them. They can't reach the viewer or load anything; WebRTC is open
to them, since no policy of Chromium closes it.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response

from mindscope.analysis.stored_values import find_value
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import IMMUTABLE, READABLE, Id, value_not_found
from mindscope.types import Kind

_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}},
    **READABLE,
}
_NOTHING = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)

router = APIRouter()


@router.get("/html", response_class=HTMLResponse, response_model=None, responses=_RESPONSES)
def get_html(
    run: str,
    tag: str,
    id: Id,
    viewer: CurrentViewer,
    scripts: Annotated[bool, Query(description="Whether scripts in the page run.")] = False,
) -> Response:
    """Return the HTML page that ``/api/values`` calls ``id``, in a sandbox."""
    value = find_value(viewer.catalog.run(run), Kind.HTML, tag, id)
    if value is None:
        return value_not_found("html", run, tag, id)
    policy = f"sandbox allow-scripts; script-src 'unsafe-inline'; {_NOTHING}" if scripts else f"sandbox; {_NOTHING}"
    headers = {**IMMUTABLE, "content-security-policy": policy, "x-dns-prefetch-control": "off"}
    return HTMLResponse(value.decoded.encode("utf-8", "backslashreplace"), headers=headers)
