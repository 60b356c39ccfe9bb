# SPDX-License-Identifier: Apache-2.0
"""The texts of one value."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.analysis.stored_values import find_value
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.response_limit import check_size, limited
from mindscope.server.http.schema import Answer
from mindscope.types import Kind

router = APIRouter()


class TextAnswer(Answer):
    """The texts of one value."""

    texts: list[str]


@router.get("/text", response_model=TextAnswer, responses=READABLE)
def get_text(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """The texts that ``/api/values`` calls ``id``."""
    value = find_value(viewer.catalog.run(run), Kind.TEXT, tag, id)
    return value_not_found("text", run, tag, id) if value is None else immutable(JsonResponse(_describe(value.decoded)))


def _describe(texts: tuple[str, ...]) -> TextAnswer:
    """Return the recorded texts. Invalid Unicode becomes backslash escapes.

    Raises AnswerTooLargeError for too many of them, or too long ones.
    """
    check_size(sum(map(len, limited(texts))))
    return TextAnswer(texts=[text.encode("utf-8", "backslashreplace").decode() for text in texts])
