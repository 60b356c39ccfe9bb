# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs, the overview of one, and the routes of its views."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.errors import MindscopeError
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse, RawJsonResponse, json_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.profiles.access import READABLE, found_profile, reader_of
from mindscope.server.profiles.diff import routes as diff
from mindscope.server.profiles.further import routes as further
from mindscope.server.profiles.memory import routes as memory
from mindscope.server.profiles.pipeline import routes as pipeline
from mindscope.server.profiles.ranks import routes as ranks
from mindscope.server.profiles.rows import routes as rows
from mindscope.server.profiles.schema import ProfilesAnswer, ProfilesQuery
from mindscope.server.profiles.scopes import routes as scopes
from mindscope.server.profiles.steps import routes as steps
from mindscope.server.profiles.streams import routes as streams
from mindscope.server.profiles.tables.schema import TablesAnswer
from mindscope.server.profiles.timeline import routes as timeline

VIEWS = (timeline, steps, pipeline, memory, diff, ranks, rows, scopes, further, streams)

router = APIRouter()


@router.post("/profiles", response_model=ProfilesAnswer)
def query_profiles(query: ProfilesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The profiles of runs: files and directories that profilers wrote."""
    from mindscope.server.profiles.listing import list_profiles  # readers would delay the first response

    return JsonResponse(list_profiles(viewer.catalog, query.runs))


@router.get("/profiles/tables", response_model=TablesAnswer, responses=READABLE)
def get_tables(run: str, profile: str, viewer: CurrentViewer, is_waiting: bool = True) -> Response:
    """Overview with advice of a profile, its greatest operators and kernels; the progress until they are computed.

    With ``is_waiting`` false, tables that are not computed yet are null, and no profile is read.
    """
    from mindscope.server.profiles.listing import progress_of
    from mindscope.server.profiles.reader import Reading

    found = found_profile(viewer, run, profile)
    if isinstance(found, Response):
        return found
    answer = TablesAnswer(run=run, profile=profile, version=None, progress=None, problem=None, tables=None)
    try:
        reader = reader_of(viewer)
        state = reader.parts(found) if is_waiting else reader.computed_parts(found)
    except (MindscopeError, OSError) as error:
        return JsonResponse(answer.model_copy(update={"problem": ReasonEntry.of(error)}))
    if isinstance(state, Reading):
        return JsonResponse(answer.model_copy(update={"progress": progress_of(state)}))
    if state is None:
        return JsonResponse(answer)
    answer = answer.model_copy(update={"version": state.version})
    front = json_of(answer, exclude={"tables"}).removesuffix("}")
    return RawJsonResponse(f'{front},"tables":{state.tables}}}')
