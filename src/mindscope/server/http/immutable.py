# SPDX-License-Identifier: Apache-2.0
"""Responses about one stored value. An id names the same bytes forever, so browsers keep the response."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import JSONResponse, Response

from mindscope.reasons import Reason
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.schema import FailureAnswer

Id = Annotated[str, Query(max_length=80)]
IMMUTABLE = {"cache-control": "private, max-age=31536000, immutable"}
READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, tag or value."},
    415: {"model": FailureAnswer, "description": "The bytes are no such value."},
    500: {"model": FailureAnswer, "description": "The bytes can't be read any more."},
}
"""The errors of a route that reads one value."""


def value_not_found(kind: str, run: str, tag: str, id: str) -> JSONResponse:
    """Return 404 for an id that the log does not have, or no longer has."""
    what = Reason("value_not_found", kind=kind, run=run, tag=tag, id=id)
    return failure(404, what, "GET /api/values lists the ids of a tag")


def immutable(response: Response) -> Response:
    """Mark a response as one that never changes, and return it."""
    response.headers.update(IMMUTABLE)
    return response
