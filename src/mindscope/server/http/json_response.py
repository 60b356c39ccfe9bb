# SPDX-License-Identifier: Apache-2.0
"""JSON responses that FastAPI does not validate again: the model has validated the message."""

from __future__ import annotations

from mindscope.server.http.gzip import GzipResponse
from mindscope.server.http.schema import Answer


class RawJsonResponse(GzipResponse):
    """A message that is JSON already. Declare the message as the route's ``response_model``."""

    media_type = "application/json"


class JsonResponse(RawJsonResponse):
    """A message as the body of a response. Declare the message as the route's ``response_model``."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.model_dump_json())
