# SPDX-License-Identifier: Apache-2.0
"""Routes of the files of a run. A browser downloads the bytes and never shows them as a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from mindscope.reasons import Reason
from mindscope.server.files.query import content_of, list_files, text_answer
from mindscope.server.files.schema import FilesAnswer, FileTextAnswer
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import NOT_FOUND, RefusedError
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer

T = TypeVar("T")
FilePath = Annotated[str, Query(max_length=1100)]
READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, or no such file in it."},
}

router = APIRouter()


class FileResponse(StreamingResponse):
    """The bytes of a file."""

    media_type = "application/octet-stream"


@router.get("/files", response_model=FilesAnswer, responses=NOT_FOUND)
def get_files(run: str, viewer: CurrentViewer) -> Response:
    """The files of a run: command, code, settings, packages, changes since the commit, checkpoints."""
    return JsonResponse(list_files(viewer.catalog.run(run).path))


@router.get("/files/text", response_model=FileTextAnswer, responses=READABLE)
def get_file_text(run: str, path: FilePath, viewer: CurrentViewer) -> Response:
    """The first MiB of a file as text."""
    return JsonResponse(_read(run, path, lambda: text_answer(viewer.catalog.run(run).path, path)))


@router.get("/files/content", response_class=FileResponse, response_model=None, responses=READABLE)
def get_file_content(run: str, path: FilePath, viewer: CurrentViewer) -> Response:
    """The bytes of a file, to save."""
    name, size, content = _read(run, path, lambda: content_of(viewer.catalog.run(run).path, path))
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name.rpartition('/')[2], safe='')}",
        "content-length": str(size),
        "content-security-policy": "sandbox; default-src 'none'",
    }
    return FileResponse(content, headers=headers)


def _read(run: str, path: str, read: Callable[[], T]) -> T:
    """Return what is read of a file. Raises RefusedError with 404."""
    try:
        return read()
    except OSError as error:
        detail = error.strerror or str(error)
        reason = Reason("file_not_found", run=run, path=path, detail=detail)
        raise RefusedError(404, reason, "GET /api/files lists the files of a run") from error
