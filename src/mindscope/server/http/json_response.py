# SPDX-License-Identifier: Apache-2.0
"""Long answers, written once: what a model has checked need not be checked again on its way out."""

from __future__ import annotations

from mindscope.server.http.gzip import GzipResponse
from mindscope.server.http.schema import Answer


class RawJsonResponse(GzipResponse):
    """A message that was written as JSON before. Declare the message as the route's ``response_model``."""

    media_type = "application/json"


class JsonResponse(RawJsonResponse):
    """A message as the body of an answer. Declare the message as the route's ``response_model``."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.model_dump_json())
