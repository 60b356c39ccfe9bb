# SPDX-License-Identifier: Apache-2.0
"""Sends columns as the body of a response, chunk by chunk."""

from __future__ import annotations

from typing import Any

from fastapi.concurrency import iterate_in_threadpool, run_in_threadpool
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from mindscope.server.http.columns import CHUNK_BYTES, MEDIA_TYPE, Packed
from mindscope.store.free_memory import release_free_memory

COLUMNS: dict[int | str, dict[str, Any]] = {
    200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}
}
"""The success response of a route that sends columns, for OpenAPI."""
LARGE_BYTES = 4 << 20
"""A response of this size returns free memory to the system after it is sent."""


class ColumnsResponse(Response):
    """The binary columns of ``columns.py``. A large body is never in memory as a whole."""

    media_type = MEDIA_TYPE

    def __init__(self, columns: Packed, status_code: int = 200) -> None:
        self._columns = columns
        super().__init__(bytes(columns) if columns.size <= CHUNK_BYTES else b"", status_code)
        self.headers["content-length"] = str(columns.size)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.body:
            await super().__call__(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for chunk in iterate_in_threadpool(self._columns.chunks()):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        size = self._columns.size
        del self._columns
        if size >= LARGE_BYTES:
            await run_in_threadpool(release_free_memory)
