# SPDX-License-Identifier: Apache-2.0
"""Compresses text responses when the client accepts it."""

from __future__ import annotations

import zlib

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

SMALLEST_BYTES = 2048
"""A smaller body fits in one or two packets, so that compression saves no time."""
FASTEST = 1
GZIP = 16 + zlib.MAX_WBITS


class GzipResponse(Response):
    """A response with a compressed body. Columns of numbers and images are sent uncompressed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self.body) >= SMALLEST_BYTES:
            self.headers["vary"] = "accept-encoding"
            if accepts(Headers(scope=scope), "gzip"):
                self.body = await run_in_threadpool(_compressed, bytes(self.body))
                self.headers["content-encoding"] = "gzip"
                self.headers["content-length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


def accepts(headers: Headers, encoding: str) -> bool:
    """Return whether ``accept-encoding`` names an encoding with a quality above 0."""
    named = [word.replace(" ", "").lower().partition(";") for word in headers.get("accept-encoding", "").split(",")]
    return any(name == encoding and quality.rstrip(".0") != "q=" for name, _, quality in named)


def _compressed(body: bytes) -> bytes:
    compressor = zlib.compressobj(FASTEST, zlib.DEFLATED, GZIP)
    return compressor.compress(body) + compressor.flush()
