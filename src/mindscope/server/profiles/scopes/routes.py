# SPDX-License-Identifier: Apache-2.0
"""Routes of the figures of the newest profile of a run for the scopes of its graphs."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.errors import MindscopeError
from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import NOT_FOUND
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.jobs.schema import fields_of
from mindscope.server.profiles.access import reader_of
from mindscope.server.profiles.files import profiles_of
from mindscope.server.profiles.scopes.query import scope_times
from mindscope.server.profiles.scopes.schema import ScopesAnswer, ScopesQuery

router = APIRouter()

MOST_READ = 3
"""Profiles that are tried, the newest first: a memory history has no modules."""


@router.post("/profiles/scopes", openapi_extra=READS, response_model=ScopesAnswer, responses={**NOT_FOUND})
def query_scopes(query: ScopesQuery, viewer: CurrentViewer) -> Response:
    """Times and memory of the scopes of a graph, by the newest profile of its run with modules."""
    answer = ScopesAnswer(profile=None, progress=None, problem=None, is_on_device=False, steps=0, scopes=[])
    store = viewer.catalog.run(query.run)
    try:
        profiles = sorted(
            profiles_of(store, viewer.catalog.runs), key=lambda profile: -profile[1].path.stat().st_mtime_ns
        )
        for name, each in profiles[:MOST_READ]:
            outcome = reader_of(viewer).parts(each)
            if outcome.problem is None:
                answer.profile = name
            if outcome.value is None:
                return JsonResponse(answer.model_copy(update={**fields_of(outcome)}))
            answer.is_on_device, answer.steps, answer.scopes = scope_times(outcome.value.profile, query)
            if answer.scopes:
                return JsonResponse(answer)
    except (MindscopeError, OSError) as error:
        answer.problem = ReasonEntry.of(error)
    return JsonResponse(answer)
