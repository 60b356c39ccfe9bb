# SPDX-License-Identifier: Apache-2.0
"""Text logs: files of runs, pages of messages, one message, counts over time, messages to save."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from mindscope.errors import DebugDataError
from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import NOT_FOUND
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.refusals import Refusal, refusing
from mindscope.server.http.schema import Answer, FailureAnswer
from mindscope.server.logs.file import file_of
from mindscope.server.logs.query import histogram_answer, lines_answer, list_logs, message_answer
from mindscope.server.logs.schema import (
    LogFileQuery,
    LogFilesAnswer,
    LogFilesQuery,
    LogFormat,
    LogHistogramAnswer,
    LogHistogramQuery,
    LogLinesAnswer,
    LogLinesQuery,
    LogMessageAnswer,
    LogMessageQuery,
    OfLog,
)
from mindscope.server.logs.sources import NoLogError, OpenLog, OpenLogs

router = APIRouter()

READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    400: {"model": FailureAnswer, "description": "The regular expression is invalid."},
    404: {"model": FailureAnswer, "description": "No such run, log or message."},
    409: {"model": FailureAnswer, "description": "The log can't be read."},
}
_REFUSALS = (
    Refusal((NoLogError,), 404, "POST /api/logs/files lists the logs of runs"),
    Refusal((DebugDataError,), 400, "use the syntax of RE2: no look-around, no back-references"),
    Refusal((OSError,), 409, "check the permissions of the file", "unreadable"),
)


@router.post("/logs/files", openapi_extra=READS, response_model=LogFilesAnswer)
def query_log_files(query: LogFilesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The log files in the directories of runs and beside them."""
    return JsonResponse(list_logs(viewer.catalog, query.runs))


@router.post("/logs/lines", openapi_extra=READS, response_model=LogLinesAnswer, responses=READABLE)
def query_log_lines(query: LogLinesQuery, viewer: CurrentViewer) -> Response:
    """A page of messages that fulfil conditions. A long log takes several requests."""
    return _answer(viewer, query, lambda opened: lines_answer(opened, query, viewer.catalog.run(query.run)))


@router.post("/logs/message", openapi_extra=READS, response_model=LogMessageAnswer, responses=READABLE)
def query_log_message(query: LogMessageQuery, viewer: CurrentViewer) -> Response:
    """Return a message with all of its lines."""
    return _answer(viewer, query, lambda opened: message_answer(opened, query, viewer.catalog.run(query.run)))


@router.post("/logs/histogram", openapi_extra=READS, response_model=LogHistogramAnswer, responses=READABLE)
def query_log_histogram(query: LogHistogramQuery, viewer: CurrentViewer) -> Response:
    """Count the messages of each level over time, and return the times of steps."""
    return _answer(viewer, query, lambda opened: histogram_answer(opened, query, viewer.catalog.run(query.run)))


@router.post("/logs/file", openapi_extra=READS, response_class=StreamingResponse, responses=READABLE)
def save_log(query: LogFileQuery, viewer: CurrentViewer) -> Response:
    """All messages that fulfil conditions, as text or as CSV."""
    media_type = "text/csv" if query.format is LogFormat.CSV else "text/plain"
    return _response(viewer, query, lambda opened: StreamingResponse(file_of(opened, query), media_type=media_type))


def _logs(viewer: Viewer) -> OpenLogs:
    return viewer.shared(OpenLogs, lambda: OpenLogs(viewer.catalog.cache_folder, viewer.settings.cache_size // 8))


def _answer(viewer: Viewer, query: OfLog, look: Callable[[OpenLog], Answer]) -> Response:
    return _response(viewer, query, lambda opened: JsonResponse(look(opened)))


def _response(viewer: Viewer, query: OfLog, look: Callable[[OpenLog], Response]) -> Response:
    """The result of ``look`` for a log. Raises RefusedError with 400, 404 or 409."""
    with refusing(*_REFUSALS):
        return look(_logs(viewer).get(viewer.catalog, query.run, query.files))
