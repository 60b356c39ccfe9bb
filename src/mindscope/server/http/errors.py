# SPDX-License-Identifier: Apache-2.0
"""Answers each error with the same JSON: a code for programs, a message and a remedy for users."""

from __future__ import annotations

from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from mindscope.errors import (
    ColumnNotFoundError,
    ExpressionError,
    FormatError,
    MindscopeError,
    MissingPackageError,
    RunNotFoundError,
    TagNotFoundError,
)
from mindscope.reasons import UNCODED, Reason, reason_of, unforeseen_reason
from mindscope.server.http.disconnect import ClientDisconnectedError
from mindscope.server.http.headers import SECURITY_HEADERS
from mindscope.server.http.response_limit import AnswerTooLargeError, AnswerTooSlowError
from mindscope.server.http.schema import Failure, FailureAnswer, ReasonEntry

RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": FailureAnswer, "description": "The body is not JSON."},
    401: {"model": FailureAnswer, "description": "The request has no token, or a wrong one."},
    403: {"model": FailureAnswer, "description": "A foreign Host header or origin, or a reader's change."},
    408: {"model": FailureAnswer, "description": "The body did not come in time."},
    413: {"model": FailureAnswer, "description": "The body is too large to be read, or the answer to be sent."},
    415: {"model": FailureAnswer, "description": "The body is not declared as application/json."},
    422: {"model": FailureAnswer, "description": "A field is missing, unknown or out of range."},
    429: {"model": FailureAnswer, "description": "Too many requests or wrong tokens of this client."},
    503: {"model": FailureAnswer, "description": "The answer takes too long to be computed."},
}
NO_COLUMN: dict[int | str, dict[str, Any]] = {404: {"model": FailureAnswer, "description": "No such column."}}
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": FailureAnswer, "description": "No such run or tag."}}

_STATUS_OF_FILES = {"file_gone": 404, "file_replaced": 404, "file_unreadable": 500}
"""What became of the file of a value; its bytes may be good."""


class RefusedError(Exception):
    """A request that gets an error as its response."""

    def __init__(self, status: int, reason: Reason, remedy: str, retry_s: int | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.remedy, self.retry_s = status, reason, remedy, retry_s


def failure(status: int, reason: Reason, remedy: str, retry_s: int | None = None) -> JSONResponse:
    """Return the response of an error, which a client may ask for again after ``retry_s`` seconds."""
    body = FailureAnswer(error=Failure(**dict(ReasonEntry.of(reason)), remedy=remedy))
    headers = None if retry_s is None else {"retry-after": str(retry_s)}
    return JSONResponse(body.model_dump(), status_code=status, headers=headers)


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: Reason, remedy: str) -> None:
    """Send an error from a middleware."""
    await failure(status, reason, remedy)(scope, receive, send)


def add_error_handlers(app: FastAPI) -> None:
    """Answer each error of ``app`` with a ``FailureAnswer``."""
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(RunNotFoundError, _run_not_found)
    app.add_exception_handler(TagNotFoundError, _tag_not_found)
    app.add_exception_handler(ColumnNotFoundError, _column_not_found)
    app.add_exception_handler(ExpressionError, _bad_expression)
    app.add_exception_handler(ClientDisconnectedError, _disconnected)
    app.add_exception_handler(AnswerTooLargeError, _too_large)
    app.add_exception_handler(AnswerTooSlowError, _too_slow)
    app.add_exception_handler(MissingPackageError, _package_missing)
    app.add_exception_handler(FormatError, _bad_format)
    app.add_exception_handler(MindscopeError, _our_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unforeseen)


async def _bad_request(request: Request, error: Exception) -> JSONResponse:
    problems = cast("RequestValidationError", error).errors()
    fields = ", ".join(dict.fromkeys(".".join(map(str, one["loc"])) for one in problems))
    detail = "; ".join(dict.fromkeys(one["msg"] for one in problems))
    what = Reason("invalid_request", fields=fields, detail=detail)
    return failure(422, what, "see /api/openapi.json for what this address takes")


async def _refused(request: Request, error: Exception) -> JSONResponse:
    refused = cast("RefusedError", error)
    return failure(refused.status, refused.reason, refused.remedy, refused.retry_s)


async def _run_not_found(request: Request, error: Exception) -> JSONResponse:
    return failure(404, reason_of(error), "GET /api/runs lists the runs below the base directory")


async def _tag_not_found(request: Request, error: Exception) -> JSONResponse:
    return failure(404, reason_of(error), "POST /api/tags lists the tags of a run")


async def _column_not_found(request: Request, error: Exception) -> JSONResponse:
    return failure(404, reason_of(error), "POST /api/lineage lists the columns")


async def _bad_expression(request: Request, error: Exception) -> JSONResponse:
    return failure(422, reason_of(error), "see docs/expressions.md for the language of expressions")


async def _disconnected(request: Request, error: Exception) -> Response:
    return Response(status_code=499)  # nginx's code for a client that has disconnected; no client receives it


async def _too_large(request: Request, error: Exception) -> JSONResponse:
    return failure(413, reason_of(error), "send a smaller query: fewer runs or tags, fewer pixels or a smaller range")


async def _too_slow(request: Request, error: Exception) -> JSONResponse:
    return failure(503, reason_of(error), "send a smaller query: fewer runs or tags, or a smaller range")


async def _package_missing(request: Request, error: Exception) -> JSONResponse:
    reason = reason_of(error)
    return failure(501, reason, reason.remedy)


async def _bad_format(request: Request, error: Exception) -> JSONResponse:
    return _unreadable(415, error)


async def _our_error(request: Request, error: Exception) -> JSONResponse:
    return _unreadable(500, error)


def _unreadable(status: int, error: Exception) -> JSONResponse:
    reason = reason_of(error)
    status = _STATUS_OF_FILES.get(reason.code, status)
    coded = Reason("unreadable", detail=str(error)) if reason.code == UNCODED else reason
    return failure(status, coded, "run `mindscope inspect` on the run's directory")


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    known = cast("HTTPException", error)
    code = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 415: "not_json"}.get(
        known.status_code, "refused"
    )
    what = Reason(code, request=f"{request.method} {request.url.path}", detail=known.detail)
    answer = failure(known.status_code, what, "see /api/openapi.json for the addresses of this viewer")
    answer.headers.update(known.headers or {})
    return answer


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    answer = failure(500, unforeseen_reason(error), "the viewer's log has the whole story")
    answer.headers.update(SECURITY_HEADERS)  # Starlette calls this handler outside of the middleware that adds them
    return answer
