# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs, and the tables of one."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse, RawJsonResponse, json_of
from mindscope.server.jobs.schema import fields_of
from mindscope.server.profiles.access import READABLE, found_profile, reader_of
from mindscope.server.profiles.listing import list_profiles
from mindscope.server.profiles.schema import ProfilesAnswer, ProfilesQuery
from mindscope.server.profiles.tables.schema import TablesAnswer

router = APIRouter()


@router.post("/profiles", openapi_extra=READS, response_model=ProfilesAnswer)
def query_profiles(query: ProfilesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The profiles of runs: files and directories that profilers wrote."""
    return JsonResponse(list_profiles(viewer.catalog, query.runs))


@router.get("/profiles/tables", response_model=TablesAnswer, responses=READABLE)
def get_tables(run: str, profile: str, viewer: CurrentViewer, is_waiting: bool = True) -> Response:
    """Overview with advice of a profile, its greatest operators and kernels; the progress until they are computed.

    With ``is_waiting`` false, tables that are not computed yet are null, and no profile is read.
    """
    found = found_profile(viewer, run, profile)
    if isinstance(found, Response):
        return found
    reader = reader_of(viewer)
    outcome = reader.parts(found) if is_waiting else reader.computed_parts(found)
    opened = outcome.value
    version = None if opened is None else opened.version
    answer = TablesAnswer(run=run, profile=profile, **fields_of(outcome), version=version, tables=None)
    if opened is None:
        return JsonResponse(answer)
    front = json_of(answer, exclude={"tables"}).removesuffix("}")
    return RawJsonResponse(f'{front},"tables":{opened.tables}}}')
