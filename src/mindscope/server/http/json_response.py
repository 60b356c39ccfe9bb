# SPDX-License-Identifier: Apache-2.0
"""JSON responses that FastAPI does not validate again: the model has validated the message."""

from __future__ import annotations

from pydantic_core import PydanticSerializationError, to_json

from mindscope.formats.json_text import as_unicode
from mindscope.server.http.gzip import GzipResponse
from mindscope.server.http.schema import Answer


class RawJsonResponse(GzipResponse):
    """A message that is JSON already. Declare the message as the route's ``response_model``."""

    media_type = "application/json"


def json_of(answer: Answer, exclude: set[str] | None = None, context: object = None) -> str:
    """Return the JSON of a message. Halves of surrogate pairs, which names of files and JSON can hold, are escaped."""
    try:
        return answer.model_dump_json(exclude=exclude, context=context)
    except PydanticSerializationError:
        unescaped = answer.model_dump(mode="python", exclude=exclude, context=context)
        return to_json(as_unicode(unescaped), inf_nan_mode="null").decode()


class JsonResponse(RawJsonResponse):
    """A message as the body of a response. Declare the message as the route's ``response_model``."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(json_of(answer))
