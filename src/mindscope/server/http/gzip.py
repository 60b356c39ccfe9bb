# SPDX-License-Identifier: Apache-2.0
"""Text that is sent compressed to whoever takes it so: a long way to the browser is then a short one."""

from __future__ import annotations

import zlib

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

SMALLEST_BYTES = 2048
"""What fits in a packet or two comes no sooner."""
FASTEST = 1
GZIP = 16 + zlib.MAX_WBITS


class GzipResponse(Response):
    """An answer whose body is compressed on its way; columns of numbers and pictures are better sent as they are."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self.body) >= SMALLEST_BYTES:
            self.headers["vary"] = "accept-encoding"
            if _takes_gzip(Headers(scope=scope)):
                self.body = await run_in_threadpool(_shrink, bytes(self.body))
                self.headers["content-encoding"] = "gzip"
                self.headers["content-length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


def _takes_gzip(headers: Headers) -> bool:
    """Whether ``accept-encoding`` names gzip, and not to refuse it."""
    named = [each.replace(" ", "").lower().partition(";") for each in headers.get("accept-encoding", "").split(",")]
    return any(name == "gzip" and quality.rstrip(".0") != "q=" for name, _, quality in named)


def _shrink(body: bytes) -> bytes:
    compressor = zlib.compressobj(FASTEST, zlib.DEFLATED, GZIP)
    return compressor.compress(body) + compressor.flush()
